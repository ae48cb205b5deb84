// The fairness rows: |(1/N) sum_i (s_i - sbar) a_i'x| <= bound, s a sensitive attribute.
#pragma once

#include "bridle/io/csv.hpp"
#include "bridle/problem/objectives/features.hpp"
#include "bridle/problem/problem.hpp"

namespace bridle {

// One indicator per group of an attribute: a two-valued attribute needs one row, k values need k (their rows
// sum to 0, but each is bounded on its own). A numeric attribute is taken as it is.
struct SensitiveAttribute {
  std::string name;            // of the row: cov_ATTRIBUTE or cov_ATTRIBUTE.GROUP
  std::vector<double> values;  // one per sample
};

std::vector<SensitiveAttribute> sensitive_attributes(const io::Table& table, const std::string& column);

// The c_i with covariance(attribute, score) = sum_i c_i score_i over the samples kept (empty: all): (s_i -
// sbar) / N. All zero when the attribute is constant over them.
Vector covariance_coefficients(const std::vector<double>& attribute, const std::vector<bool>& kept = {});
// sum_i c_i a_i: the covariance of the score a_i'x as a row. What is no more than rounding beside what was
// added up, as an intercept's coefficient is, is exactly 0.
Vector covariance_row(const Features& features, const Vector& coefficients);

// Adds one row per attribute, each within [-bound, bound].
void bound_covariance(Problem& problem, const Features& features,
                      const std::vector<SensitiveAttribute>& attributes, double bound);

}  // namespace bridle
