// The figures people ask of a classifier and of its fairness.
#pragma once

#include "bridle/apps/fair/fair_data.hpp"
#include "bridle/problem/losses/losses.hpp"

namespace bridle {

// Rates are NaN where nobody is left to count them over, and so are differences and ratios where fewer than
// two groups have the rate. "Selected" means score > 0.
struct GroupMetrics {
  std::string group;
  Index samples = 0;
  double base_rate = 0;            // fraction with a positive label
  double selection_rate = 0;       // fraction selected
  double true_positive_rate = 0;   // fraction selected among positive labels
  double false_positive_rate = 0;  // fraction selected among negative labels
  double accuracy = 0;
  double mean_score = 0;
};

struct AttributeMetrics {
  std::string attribute;
  std::vector<GroupMetrics> groups;
  double selection_ratio = 0;         // lowest over highest selection rate: the p% rule
  double parity_difference = 0;       // demographic parity: highest minus lowest selection rate
  double opportunity_difference = 0;  // equal opportunity: of true positive rates
  double odds_difference = 0;  // equalised odds: the larger of the true and false positive rates' differences
};

struct Metrics {
  Index samples = 0;
  double loss = 0;  // mean, without the ridge
  double accuracy = 0, balanced_accuracy = 0;
  double auc = 0;  // probability that a positive scores above a negative; ties count one half
  double selection_rate = 0;
  std::vector<AttributeMetrics> attributes;
};

double area_under_curve(const Vector& scores, const Vector& labels);
Metrics measure(const FairData& data, const Vector& scores, const Loss& loss);

}  // namespace bridle
