// The phase's own guess of the judge's error: cheap, and never more than a reason to ask him.
#pragma once

#include "bridle/second/region.hpp"

namespace bridle::second {

class ErrorEstimate {
 public:
  // What the objective does at the origin of X sets the scale of gradients; `curvature` is per variable.
  ErrorEstimate(const Region& region, Vector origin, Vector gradient_there, Vector curvature)
      : region_(region),
        origin_(std::move(origin)),
        gradient_there_(std::move(gradient_there)),
        curvature_(std::move(curvature)) {}

  // How far g + A'y is from the negative normal cone of the bounds, each variable by its own scale.
  double operator()(const Vector& x, const Vector& gradient, const Vector& multipliers) const;

 private:
  const Region& region_;
  Vector origin_, gradient_there_, curvature_;
};

}  // namespace bridle::second
