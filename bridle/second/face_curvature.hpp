// The smallest curvature along a face.
#pragma once

#include <functional>

#include "bridle/second/region.hpp"
#include "bridle/second/work.hpp"

namespace bridle::second {

struct FaceCurvature {
  double least = infinity;  // d'Hd / d'Md; infinite when the face is a point
  Vector direction;
};

// By Lanczos' method over the directions that keep the touched bounds and rows of x, in the metric M, whose
// diagonal is `metric`. An upper bound of the least curvature, close to it.
FaceCurvature least_curvature(const Region& region, const Vector& x, const Vector& metric,
                              const std::function<void(const Vector&, Vector&)>& product, Work& work);

}  // namespace bridle::second
