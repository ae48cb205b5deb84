// The half-space { a'x <= b }.
#pragma once

#include <cmath>
#include <utility>

#include "bridle/problem/set.hpp"
#include "bridle/problem/sets/plane.hpp"

namespace bridle {

class HalfSpace {
 public:
  HalfSpace(Vector a, double b) : plane_("half-space", std::move(a), b) {}

  Index dimension() const { return plane_.normal.size(); }

  void project(VectorRef x) const {
    if (plane_.excess(x) > 0) plane_.project(x);
  }

  void project_tangent(ConstVectorRef x, VectorRef direction) const {
    const bool touched = plane_.excess(x) >= -active_tolerance * (std::abs(plane_.offset) + x.norm());
    if (touched && plane_.normal.dot(direction) > 0) plane_.remove_normal_part(direction);
  }

  void make_admissible(VectorRef) const {}

  HalfSpace scaled(ConstVectorRef scale) const { return {plane_.normal.cwiseProduct(scale), plane_.offset}; }

  LinearDescription description() const {
    return LinearDescription::of_rows(plane_.normal.transpose(), Vector::Constant(1, -infinity),
                                      Vector::Constant(1, plane_.offset));
  }

 private:
  detail::Plane plane_;
};

}  // namespace bridle
