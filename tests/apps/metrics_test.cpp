#include "bridle/apps/fair/metrics.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "bridle/core/random.hpp"

namespace bridle {
namespace {

Vector vector_of(std::initializer_list<double> values) {
  Vector out(static_cast<Index>(values.size()));
  Index k = 0;
  for (const double v : values) out[k++] = v;
  return out;
}

// Ten people. Women: labels 1 1 0 0, selected 1 0 1 0. Men: labels 1 1 1 0 0 0, selected 1 1 1 1 0 0.
FairData ten_people() {
  FairData data{"people", 0, 0, 0, DenseRows<double>(0, 0), vector_of({1, 1, -1, -1, 1, 1, 1, -1, -1, -1}),
                {},       {}};
  Attribute sex;
  sex.name = "sex";
  sex.groups = {"woman", "man"};
  sex.codes = {0, 0, 0, 0, 1, 1, 1, 1, 1, 1};
  sex.trained_groups = 2;
  data.attributes = {sex};
  data.kept = {std::vector<bool>(10, true)};
  return data;
}
const Vector ten_scores = vector_of({2, -1, 1, -2, 3, 1, 1, 2, -1, -3});

TEST(Metrics, FiguresCountedByHand) {
  const Metrics m = measure(ten_people(), ten_scores, LogisticLoss{});
  EXPECT_EQ(m.samples, 10);
  EXPECT_DOUBLE_EQ(m.accuracy, 0.7);  // 4 of 5 positives, 3 of 5 negatives
  EXPECT_DOUBLE_EQ(m.balanced_accuracy, 0.5 * (4.0 / 5 + 3.0 / 5));
  EXPECT_DOUBLE_EQ(m.selection_rate, 0.6);
  const AttributeMetrics& sex = m.attributes.at(0);
  EXPECT_DOUBLE_EQ(sex.groups[0].selection_rate, 0.5);
  EXPECT_DOUBLE_EQ(sex.groups[1].selection_rate, 4.0 / 6);
  EXPECT_DOUBLE_EQ(sex.groups[0].true_positive_rate, 0.5);
  EXPECT_DOUBLE_EQ(sex.groups[1].true_positive_rate, 1.0);
  EXPECT_DOUBLE_EQ(sex.groups[0].false_positive_rate, 0.5);
  EXPECT_DOUBLE_EQ(sex.groups[1].false_positive_rate, 1.0 / 3);
  EXPECT_DOUBLE_EQ(sex.groups[1].base_rate, 0.5);
  EXPECT_DOUBLE_EQ(sex.groups[0].mean_score, 0.0);
  EXPECT_DOUBLE_EQ(sex.selection_ratio, 0.75);
  EXPECT_DOUBLE_EQ(sex.parity_difference, 4.0 / 6 - 0.5);
  EXPECT_DOUBLE_EQ(sex.opportunity_difference, 0.5);
  EXPECT_DOUBLE_EQ(sex.odds_difference, 0.5);
}

TEST(Metrics, LossIsTheMeanWithoutTheRidge) {
  double sum = 0;
  const FairData data = ten_people();
  for (Index i = 0; i < 10; ++i) sum += std::log1p(std::exp(-data.labels[i] * ten_scores[i]));
  EXPECT_NEAR(measure(data, ten_scores, LogisticLoss{}).loss, sum / 10, 1e-15);
}

TEST(Metrics, AreaUnderCurveCountsPairsAndHalvesTies) {
  const Stream stream(7, Purpose::noise);
  Vector scores(60), labels(60);
  for (Index i = 0; i < 60; ++i) {
    const auto k = static_cast<std::uint64_t>(i);
    scores[i] = static_cast<double>(stream.below(8, 2 * k));  // eight values: many ties
    labels[i] = stream.below(3, 2 * k + 1) == 0 ? 1 : -1;
  }
  double wins = 0, pairs = 0;
  for (Index i = 0; i < 60; ++i)
    for (Index j = 0; j < 60; ++j)
      if (labels[i] > 0 && labels[j] < 0) {
        pairs += 1;
        wins += scores[i] > scores[j] ? 1 : scores[i] == scores[j] ? 0.5 : 0;
      }
  EXPECT_NEAR(area_under_curve(scores, labels), wins / pairs, 1e-14);
  EXPECT_DOUBLE_EQ(area_under_curve(vector_of({1, 1, 1}), vector_of({1, -1, 1})), 0.5);
}

TEST(Metrics, WhatCannotBeCountedIsNotANumber) {
  FairData data = ten_people();
  data.attributes[0].groups.push_back("unseen");  // nobody in it
  data.labels = Vector::Constant(10, -1.0);
  const Metrics m = measure(data, Vector::Constant(10, -1.0), LogisticLoss{});
  EXPECT_TRUE(std::isnan(m.auc));
  EXPECT_TRUE(std::isnan(m.attributes[0].groups[2].selection_rate));
  EXPECT_TRUE(std::isnan(m.attributes[0].selection_ratio)) << "nobody is selected: 0/0";
  EXPECT_TRUE(std::isnan(m.attributes[0].opportunity_difference));
  EXPECT_EQ(m.attributes[0].parity_difference, 0);
  EXPECT_TRUE(std::isnan(m.attributes[0].odds_difference)) << "the larger of two, of which one is not known";
  EXPECT_EQ(m.accuracy, 1);
}

TEST(Metrics, OneGroupAloneDiffersFromNobody) {
  FairData data = ten_people();
  data.attributes[0].codes.assign(10, 1);
  const AttributeMetrics sex = measure(data, ten_scores, LogisticLoss{}).attributes[0];
  EXPECT_DOUBLE_EQ(sex.groups[1].selection_rate, 0.6);
  for (const double figure :
       {sex.selection_ratio, sex.parity_difference, sex.opportunity_difference, sex.odds_difference})
    EXPECT_TRUE(std::isnan(figure)) << figure;
}

}  // namespace
}  // namespace bridle
