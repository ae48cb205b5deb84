// Projection onto { x : a_i'x <= b_i } by the dual active-set method of Goldfarb and Idnani (1983) for the
// Hessian I.
#pragma once

#include <span>
#include <vector>

#include "bridle/core/scratch.hpp"

namespace bridle::detail {

// The factors N = Q R of some unit normals, Q with orthonormal columns; columns come and go.
class ThinQr {
 public:
  ThinQr(Index dimension, Index capacity);

  Index size() const { return size_; }
  bool full() const { return size_ == r_.cols(); }
  // a = Q part + rest, rest orthogonal to Q.
  void split(ConstVectorRef a, VectorRef part, VectorRef rest) const;
  void append(ConstVectorRef part, ConstVectorRef rest, double rest_length);
  void remove(Index column);
  // coefficients <- R^{-1} coefficients, R^{-T} coefficients.
  void solve(VectorRef coefficients) const;
  void solve_transposed(VectorRef coefficients) const;
  auto q() const { return q_.leftCols(size_); }

 private:
  Scratch<double> q_memory_, r_memory_, part_memory_;
  Eigen::Map<Matrix> q_, r_;
  mutable Eigen::Map<Vector> part_;
  Index size_ = 0;
};

// One projection. Each step adds the most violated row to a set of active rows and moves to the nearest point
// of their intersection, dropping the rows that push the wrong way; the distance to the start grows with
// every step.
class DualActiveSet {
 public:
  // Uses columns `rows` of `normals` (of length 1); empty `limits` stands for zeros.
  DualActiveSet(const Matrix& normals, std::span<const double> limits, std::span<const Index> rows);

  // x <- its projection. Returns rows that contradict one another if the set is empty, otherwise nothing.
  std::vector<Index> project(VectorRef x);

 private:
  auto normal(Index k) const { return normals_.col(rows_[static_cast<std::size_t>(k)]); }
  double limit(Index k) const {
    return limits_.empty() ? 0 : limits_[static_cast<std::size_t>(rows_[static_cast<std::size_t>(k)])];
  }
  double excess(Index k, ConstVectorRef x) const { return normal(k).dot(x) - limit(k); }
  Index most_violated(ConstVectorRef x, double tolerance) const;
  std::vector<Index> activate(Index k, VectorRef x);
  void drop(Index position);
  void refine(VectorRef x);
  void round_to_origin(VectorRef x) const;
  std::vector<Index> contradiction(Index k) const;

  const Matrix& normals_;
  std::span<const double> limits_;
  std::span<const Index> rows_;
  ThinQr qr_;
  Scratch<char> is_active_;    // of every row
  Scratch<double> allowance_;  // by how much a row that others contradict within rounding may be violated
  Scratch<Index> active_;      // the rows whose normals qr_ holds
  Scratch<double> multiplier_, part_, weight_, rest_, start_;
  double start_length_ = 0;
};

}  // namespace bridle::detail
