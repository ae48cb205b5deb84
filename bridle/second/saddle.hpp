// Whether a point at rest is a saddle, and the way down from it.
#pragma once

#include <optional>

#include "bridle/second/line_search.hpp"

namespace bridle::second {

struct WayDown {
  std::optional<double> least_curvature;  // along the face of x, relative to `curvature`
  std::optional<LinePoint> point;         // lower than x, along a direction of negative curvature
};

// `curvature` has the size of each variable's. With a dense Hessian, or with products; these are dear, so
// that for convex objectives they are not looked at.
WayDown way_down(const Region& region, Landscape& landscape, const Vector& x, const Vector& curvature,
                 bool dense, bool may_leave, double rounding, Work& work);

}  // namespace bridle::second
