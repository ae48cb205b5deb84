// The whole space, and boxes lower <= x <= upper with infinities.
#pragma once

#include <algorithm>
#include <string>

#include "bridle/core/error.hpp"
#include "bridle/problem/set.hpp"

namespace bridle {

class WholeSpace {
 public:
  explicit WholeSpace(Index dimension) : dimension_(dimension) {}
  Index dimension() const { return dimension_; }
  void project(VectorRef) const {}
  void project_tangent(ConstVectorRef, VectorRef) const {}
  void make_admissible(VectorRef) const {}
  WholeSpace scaled(ConstVectorRef) const { return *this; }
  Bounds bounds() const {
    return {Vector::Constant(dimension_, -infinity), Vector::Constant(dimension_, infinity)};
  }

 private:
  Index dimension_;
};

class Box {
 public:
  Box(Vector lower, Vector upper) : bounds_{std::move(lower), std::move(upper)} {
    const auto& [lo, hi] = bounds_;
    if (lo.size() != hi.size())
      throw InputError("box: " + std::to_string(lo.size()) + " lower bounds but " +
                       std::to_string(hi.size()) + " upper bounds");
    for (Index j = 0; j < lo.size(); ++j)
      if (!(lo[j] <= hi[j]) || lo[j] == infinity || hi[j] == -infinity)
        throw InputError("box: variable " + std::to_string(j) + " has lower bound " + std::to_string(lo[j]) +
                         " and upper bound " + std::to_string(hi[j]) + "; lower <= upper is required");
  }

  Index dimension() const { return bounds_.lower.size(); }

  void project(VectorRef x) const { x = x.cwiseMax(bounds_.lower).cwiseMin(bounds_.upper); }

  void project_tangent(ConstVectorRef x, VectorRef direction) const {
    const auto& [lo, hi] = bounds_;
    for (Index j = 0; j < x.size(); ++j) {
      if (x[j] <= lo[j] + width(lo[j])) direction[j] = std::max(direction[j], 0.0);
      if (x[j] >= hi[j] - width(hi[j])) direction[j] = std::min(direction[j], 0.0);
    }
  }

  void make_admissible(VectorRef) const {}

  Box scaled(ConstVectorRef scale) const {
    return {bounds_.lower.cwiseQuotient(scale), bounds_.upper.cwiseQuotient(scale)};
  }

  Bounds bounds() const { return bounds_; }

 private:
  static double width(double bound) {
    return is_finite(bound) ? active_tolerance * (1 + std::abs(bound)) : 0;
  }

  Bounds bounds_;
};

}  // namespace bridle
