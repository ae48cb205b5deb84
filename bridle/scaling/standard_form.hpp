// The user's problem in the paper's form:  minimise E f  subject to  A v = b,  v in V,  with v = (x / C,
// slacks / w).
//
// Every inequality row i gets a slack s_i in [l_i, u_i] and reads a_i'x - s_i = 0. The slack column is
// structure, not a matrix column. Columns are scaled by C, slacks by w, rows to unit length; RowMetric then
// acts on the residual. The way back is `to_original`; the judge never sees anything of this.
#pragma once

#include <algorithm>
#include <memory>
#include <span>

#include "bridle/problem/problem.hpp"
#include "bridle/scaling/presolve.hpp"
#include "bridle/scaling/row_metric.hpp"

namespace bridle {

// Scales the variables the method works in. Slack scales are relative to the length of their row in the
// metric `reference` (C itself by default).
struct Scaling {
  Vector columns;    // C > 0, one per variable; empty: all 1
  Vector slacks;     // omega > 0, one per row of the problem; empty: all 1
  Vector reference;  // the column scales slack lengths are measured in; empty: C
  MetricKind metric = MetricKind::cholesky;

  template <class Archive>
  void transfer(Archive& archive) {
    archive(columns, slacks, reference, metric);
  }
};

// The method's variables in the user's units.
struct OriginalState {
  Vector x, z;                     // n
  Vector multipliers;              // y, one per row of the problem
  Vector slacks, smoothed_slacks;  // row activities, one per row of the problem (0 for equalities)

  template <class Archive>
  void transfer(Archive& archive) {
    archive(x, z, multipliers, slacks, smoothed_slacks);
  }
};

class StandardForm {
 public:
  // From a problem that was presolved with the dependent rows in place unless the metric is `cholesky`.
  StandardForm(const Presolved& reduced, const Scaling& scaling);
  // Presolves by itself: for a single form.
  StandardForm(const Problem& problem, const Scaling& scaling);

  // The same form over another objective of the same variables: some of the samples.
  StandardForm with_objective(AnyObjective objective) const {
    StandardForm copy = *this;
    copy.problem_ = problem_.with_objective(std::move(objective));
    return copy;
  }

  Index dimension() const { return variables_ + static_cast<Index>(slack_rows_.size()); }
  Index variables() const { return variables_; }
  Index rows() const { return matrix_.rows(); }
  const RowMetric& metric() const { return metric_; }
  const Vector& column_scale() const { return columns_; }
  const Problem& problem() const { return problem_; }
  const std::vector<Index>& kept_rows() const { return kept_rows_; }
  const std::vector<Index>& dependent_rows() const { return dependent_rows_; }  // left out: others imply them
  const SparseRows& matrix() const { return matrix_; }                  // R A C, without slack columns
  const Vector& right() const { return right_; }                        // R b on equalities
  const Vector& row_scale() const { return row_scale_; }                // R
  const std::vector<Index>& slack_rows() const { return slack_rows_; }  // slack k belongs to this row
  const Vector& slack_coefficient() const {
    return slack_coefficient_;
  }  // row slack_rows()[k] reads a'x - this * s_k

  // r <- A v - b
  void residual(ConstVectorRef v, VectorRef r) const;
  // out += A'w
  void add_adjoint(ConstVectorRef w, VectorRef out) const;
  // v <- projection onto V
  void project(VectorRef v) const;
  void project_variables(VectorRef x) const { set_.project(x); }           // the first n entries alone
  std::optional<Bounds> variable_bounds() const { return set_.bounds(); }  // of the first n, when X is a box
  double project_slack(Index k, double s) const { return std::clamp(s, slack_lower_[k], slack_upper_[k]); }
  // out <- gradient of f(., sample) with respect to v (0 on slacks); `point` is scratch of size n.
  void gradient(ConstVectorRef v, Sample sample, VectorRef out, VectorRef point) const;
  void mean_gradient(ConstVectorRef v, VectorRef out, VectorRef point) const;
  void batch_gradient(ConstVectorRef v, std::span<const Sample> samples, VectorRef out,
                      VectorRef point) const;
  // The same for the first n entries alone.
  void variable_gradient(ConstVectorRef x, Sample sample, VectorRef out, VectorRef point) const;
  void variable_batch_gradient(ConstVectorRef x, std::span<const Sample> samples, VectorRef out,
                               VectorRef point) const;

  Vector to_standard(ConstVectorRef x, const Vector& slacks) const;
  Vector multipliers_to_standard(const Vector& y) const;
  Vector to_original(ConstVectorRef v) const;              // x = C v, in X
  Vector multipliers_to_original(ConstVectorRef y) const;  // 0 on rows that presolve removed
  Vector slacks_to_original(ConstVectorRef v) const;

 private:
  template <class Evaluate>
  void scaled_gradient(ConstVectorRef x, VectorRef out, VectorRef point, Evaluate&& evaluate) const;

  Problem problem_;
  Index variables_;
  Vector columns_;
  bool unit_columns_;
  AnySet set_;                    // { v : C v in X with the bounds of singleton rows }
  std::vector<Index> kept_rows_;  // standard row -> row of the problem
  std::vector<Index> dependent_rows_;
  std::vector<Index> slack_rows_;  // slack k belongs to this standard row
  SparseRows matrix_;              // R A C
  Vector right_;                   // R b on equalities, 0 elsewhere
  Vector row_scale_;               // R
  Vector slack_scale_;             // w: slack in the user's units = w times the slack variable
  Vector slack_coefficient_;       // R w
  Vector slack_lower_, slack_upper_;
  RowMetric metric_;
};

}  // namespace bridle
