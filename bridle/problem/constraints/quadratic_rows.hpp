// Smooth rows x'Qx + q'x, Q sparse and symmetric, and balls |x_B - centre|_2^2.
#pragma once

#include <vector>

#include "bridle/problem/smooth_rows.hpp"

namespace bridle {

class QuadraticRows {
 public:
  explicit QuadraticRows(Index variables) : variables_(variables) {}

  // Another row: x'Qx + q'x. Q has both triangles.
  void add(SparseColumns square, Vector linear) {
    rows_.push_back({std::move(square), std::move(linear), Vector::Zero(variables_)});
  }
  // Another row: the sum over these variables of (x_j - centre_j)^2.
  void add_ball(const std::vector<Index>& indices, const Vector& centre) {
    std::vector<Eigen::Triplet<double>> entries;
    Vector around = Vector::Zero(variables_);
    for (std::size_t k = 0; k < indices.size(); ++k) {
      entries.emplace_back(indices[k], indices[k], 1.0);
      around[indices[k]] = centre[static_cast<Index>(k)];
    }
    SparseColumns square(variables_, variables_);
    square.setFromTriplets(entries.begin(), entries.end());
    rows_.push_back({std::move(square), Vector::Zero(variables_), std::move(around)});
  }

  Index dimension() const { return variables_; }
  Index count() const { return static_cast<Index>(rows_.size()); }
  void value(ConstVectorRef x, VectorRef out) const {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const Wide terms = half_slope(rows_[i], x);
      const auto& [square, linear, centre] = rows_[i];
      long double sum = 0;
      for (Index j = 0; j < x.size(); ++j)
        sum += (terms[j] - linear[j] / 2) * (static_cast<long double>(x[j]) - centre[j]) +
               static_cast<long double>(linear[j]) * x[j];
      out[static_cast<Index>(i)] = static_cast<double>(sum);
    }
  }
  void jacobian(ConstVectorRef x, Matrix& out) const {
    for (std::size_t i = 0; i < rows_.size(); ++i)
      out.row(static_cast<Index>(i)) = (2 * half_slope(rows_[i], x)).cast<double>().transpose();
  }
  void hessian(ConstVectorRef, ConstVectorRef y, Matrix& out) const {
    for (std::size_t i = 0; i < rows_.size(); ++i)
      out += 2 * y[static_cast<Index>(i)] * Matrix(rows_[i].square);
  }

 private:
  struct Row {  // (x - centre)'Q(x - centre) + q'x
    SparseColumns square;
    Vector linear, centre;
  };

  // Q(x - centre) + q/2, in extended precision: far out the terms cancel down to less than the rounding of
  // doubles.
  using Wide = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
  static Wide half_slope(const Row& row, ConstVectorRef x) {
    Wide out = row.linear.cast<long double>() / 2;
    for (Index k = 0; k < row.square.outerSize(); ++k)
      for (SparseColumns::InnerIterator it(row.square, k); it; ++it)
        out[it.row()] += it.value() * (static_cast<long double>(x[k]) - row.centre[k]);
    return out;
  }

  Index variables_;
  std::vector<Row> rows_;
};

}  // namespace bridle
