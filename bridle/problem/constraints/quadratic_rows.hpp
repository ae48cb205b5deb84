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
    rows_.push_back({std::move(square), std::move(linear), 0});
  }
  // Another row: the sum over these variables of (x_j - centre_j)^2.
  void add_ball(const std::vector<Index>& indices, const Vector& centre) {
    std::vector<Eigen::Triplet<double>> entries;
    Vector linear = Vector::Zero(variables_);
    for (std::size_t k = 0; k < indices.size(); ++k) {
      entries.emplace_back(indices[k], indices[k], 1.0);
      linear[indices[k]] = -2 * centre[static_cast<Index>(k)];
    }
    SparseColumns square(variables_, variables_);
    square.setFromTriplets(entries.begin(), entries.end());
    rows_.push_back({std::move(square), std::move(linear), centre.squaredNorm()});
  }

  Index dimension() const { return variables_; }
  Index count() const { return static_cast<Index>(rows_.size()); }
  void value(ConstVectorRef x, VectorRef out) const {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const auto& [square, linear, constant] = rows_[i];
      out[static_cast<Index>(i)] = x.dot(square * x) + linear.dot(x) + constant;
    }
  }
  void jacobian(ConstVectorRef x, Matrix& out) const {
    for (std::size_t i = 0; i < rows_.size(); ++i)
      out.row(static_cast<Index>(i)) = (2 * (rows_[i].square * x) + rows_[i].linear).transpose();
  }
  void hessian(ConstVectorRef, ConstVectorRef y, Matrix& out) const {
    for (std::size_t i = 0; i < rows_.size(); ++i)
      out += 2 * y[static_cast<Index>(i)] * Matrix(rows_[i].square);
  }

 private:
  struct Row {
    SparseColumns square;
    Vector linear;
    double constant;
  };
  Index variables_;
  std::vector<Row> rows_;
};

}  // namespace bridle
