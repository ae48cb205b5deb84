// The metric M in which the method sees the constraint residual: q = M (A x - b).
//
// With M = (A A')^-1 the rows behave as if they were orthonormal, which describes the same constraint set;
// the paper's method applies unchanged to the orthonormal rows M^(1/2) A, and only q = M r is ever needed.
// This removes the limit cycles that badly conditioned rows cause (docs/parameters.md).
#pragma once

#include <string_view>

#include "bridle/core/small_matrix.hpp"

namespace bridle {

enum class MetricKind {
  identity,  // the paper's literal loop
  diagonal,  // rows divided by the largest eigenvalue of A A': for factors that would not fit
  cholesky   // M = (A A')^-1 by a dense or sparse factor
};

constexpr MetricKind last_value(MetricKind) { return MetricKind::cholesky; }
constexpr std::string_view to_string(MetricKind kind) {
  return kind == MetricKind::identity ? "identity" : kind == MetricKind::diagonal ? "diagonal" : "cholesky";
}

class RowMetric {
 public:
  // For M = (A A' + D)^-1, D the diagonal that the slack columns add. `cholesky` falls back to `diagonal`
  // when A A' or its factor would have more than `factor_limit` entries.
  RowMetric(MetricKind kind, const SparseRows& matrix, const Vector& diagonal);

  // r <- M r. `scratch` has the size of r. No allocation.
  void apply(VectorRef r, VectorRef scratch) const;

  MetricKind kind() const { return kind_; }
  double diagonal_scale() const { return scale_; }  // of the diagonal metric M = scale I
  // The squared spectral norm of the rows as the method sees them: |M^(1/2) A|^2.
  double norm_squared() const { return norm_squared_; }

  static constexpr Index dense_limit = 32;           // up to here M itself is stored
  static constexpr Index factor_limit = 20'000'000;  // entries of the sparse factor (240 MB)

 private:
  void factorise(const SparseColumns& gram);

  MetricKind kind_;
  double norm_squared_ = 1;
  double scale_ = 1;          // diagonal: M = scale I
  SmallMatrix inverse_;       // cholesky, few rows
  SparseColumns factor_;      // cholesky, many rows: P gram P' = L D L', unit diagonal of L not stored
  Vector inverse_pivots_;     // D^-1
  Eigen::VectorXi position_;  // row i of gram is row position_[i] of the factor
};

}  // namespace bridle
