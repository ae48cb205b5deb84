// The plane a'x = b that bounds a half-space and is a hyperplane.
#pragma once

#include <cmath>
#include <string>

#include "bridle/core/types.hpp"
#include "bridle/problem/sets/check.hpp"

namespace bridle::detail {

// Kept with |a| = 1, so that nothing below depends on how the user scaled (a, b).
struct Plane {
  Vector normal;
  double offset;

  Plane(const std::string& set, Vector a, double b) : normal(std::move(a)), offset(b) {
    checked_dimension(set, normal.size());
    for (Index j = 0; j < normal.size(); ++j)
      checked_finite(set, "a[" + std::to_string(j) + "] =", normal[j]);
    checked_finite(set, "b =", b);
    const double length = normal.stableNorm();
    if (length == 0) throw InputError(set + ": a = 0; a nonzero a is required");
    // Two steps: the inverse of a tiny length overflows.
    normal /= normal.cwiseAbs().maxCoeff();
    normal.normalize();
    offset = checked_finite(set, "b / |a| =", b / length);
  }

  double excess(ConstVectorRef x) const { return normal.dot(x) - offset; }

  // Twice: a second step removes the rounding of a long first one, so that x is on the plane relative to |x|.
  void project(VectorRef x) const {
    x -= excess(x) * normal;
    x -= excess(x) * normal;
  }

  void remove_normal_part(VectorRef direction) const { direction -= normal.dot(direction) * normal; }
};

}  // namespace bridle::detail
