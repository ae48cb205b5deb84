// The ball { |x_1| + ... + |x_n| <= radius }: sparse models.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "bridle/core/scratch.hpp"
#include "bridle/problem/set.hpp"
#include "bridle/problem/sets/check.hpp"
#include "bridle/problem/sets/simplex.hpp"
#include "bridle/problem/sets/threshold.hpp"

namespace bridle {

class L1Ball {
 public:
  L1Ball(Index dimension, double radius)
      : dimension_(detail::checked_dimension("l1 ball", dimension)),
        radius_(detail::checked_positive("l1 ball", "radius", radius)) {}

  Index dimension() const { return dimension_; }
  double radius() const { return radius_; }

  // Outside the ball the sizes |x_j| project onto the simplex, and the signs stay.
  void project(VectorRef x) const {
    if (x.lpNorm<1>() <= radius_) return;
    detail::Scratch<double> buffer(x.size());
    auto size = buffer.vector();
    size = x.cwiseAbs();
    detail::project_onto_simplex(size, radius_);
    for (Index j = 0; j < x.size(); ++j) x[j] = size[j] == 0 ? 0 : std::copysign(size[j], x[j]);
  }

  // On the boundary T = { d : sum_{x_j != 0} sign(x_j) d_j + sum_{x_j = 0} |d_j| <= 0 }. With a multiplier
  // theta the first kind of coordinate moves by -theta sign(x_j), the second is soft-thresholded by theta.
  void project_tangent(ConstVectorRef x, VectorRef direction) const {
    if (x.lpNorm<1>() < radius_ * (1 - boundary_tolerance())) return;
    double sum = 0, growth = 0;
    Index free_count = 0;
    for (Index j = 0; j < x.size(); ++j) {
      if (is_zero(x[j])) {
        growth += std::abs(direction[j]);
      } else {
        sum += std::copysign(1.0, x[j]) * direction[j];
        ++free_count;
      }
    }
    if (!(sum + growth > 0)) return;
    const double mean = free_count > 0 ? sum / static_cast<double>(free_count) : 0;
    detail::Scratch<double> above(x.size());
    Index count = 0;
    for (Index j = 0; j < x.size(); ++j)
      if (is_zero(x[j]) && std::abs(direction[j]) > mean) above[count++] = std::abs(direction[j]);
    const double theta = detail::threshold(sum, free_count, above.first(count), 0);
    for (Index j = 0; j < x.size(); ++j)
      direction[j] = is_zero(x[j])
                         ? std::copysign(std::max(std::abs(direction[j]) - theta, 0.0), direction[j])
                         : direction[j] - std::copysign(theta, x[j]);
  }

  // The ball has 2^n rows; the part of it in an orthant has one. Variables that are 0 go where they are
  // pulled.
  LinearDescription part(ConstVectorRef x, ConstVectorRef direction) const {
    Bounds orthant{Vector::Zero(dimension_), Vector::Zero(dimension_)};
    SparseRows row(1, dimension_);
    row.reserve(Eigen::VectorXi::Constant(1, static_cast<int>(dimension_)));
    for (Index j = 0; j < dimension_; ++j) {
      const bool positive = x[j] != 0 ? x[j] > 0 : direction[j] >= 0;
      (positive ? orthant.upper : orthant.lower)[j] = positive ? infinity : -infinity;
      row.insert(0, j) = positive ? 1 : -1;
    }
    return {std::move(orthant), std::move(row), Vector::Constant(1, -infinity), Vector::Constant(1, radius_)};
  }

  double reach() const { return radius_; }

  void make_admissible(VectorRef scale) const { detail::set_to_geometric_mean(scale); }

  L1Ball scaled(ConstVectorRef scale) const {
    return {dimension_, radius_ / detail::common_factor("l1 ball", scale)};
  }

 private:
  bool is_zero(double x) const { return std::abs(x) <= active_tolerance * radius_; }

  // The norm of a long vector carries more rounding than active_tolerance allows for.
  double boundary_tolerance() const {
    return std::max(active_tolerance,
                    static_cast<double>(dimension_) * std::numeric_limits<double>::epsilon());
  }

  Index dimension_;
  double radius_;
};

}  // namespace bridle
