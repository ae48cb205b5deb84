// The hyperplane { a'x = b }.
#pragma once

#include <utility>

#include "bridle/problem/set.hpp"
#include "bridle/problem/sets/plane.hpp"

namespace bridle {

class Hyperplane {
 public:
  Hyperplane(Vector a, double b) : plane_("hyperplane", std::move(a), b) {}

  Index dimension() const { return plane_.normal.size(); }
  void project(VectorRef x) const { plane_.project(x); }
  void project_tangent(ConstVectorRef, VectorRef direction) const { plane_.remove_normal_part(direction); }
  void make_admissible(VectorRef) const {}
  Hyperplane scaled(ConstVectorRef scale) const { return {plane_.normal.cwiseProduct(scale), plane_.offset}; }

  LinearDescription description() const {
    return LinearDescription::of_rows(plane_.normal.transpose(), Vector::Constant(1, plane_.offset),
                                      Vector::Constant(1, plane_.offset));
  }

 private:
  detail::Plane plane_;
};

}  // namespace bridle
