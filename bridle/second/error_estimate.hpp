// The phase's own guess of the judge's error: cheap, and never more than a reason to ask him.
#pragma once

#include <vector>

#include "bridle/second/region.hpp"

namespace bridle::second {

class ErrorEstimate {
 public:
  // What the objective does at the origin of X sets the scale of gradients; `curvature` is per variable.
  ErrorEstimate(const Region& region, Vector origin, Vector gradient_there, Vector curvature);

  // How far g + A'y is from the negative normal cone of the bounds, each variable by its own scale; near a
  // bound that it is pushed to, how far a variable is from that.
  double operator()(const Vector& x, const Vector& gradient, const Vector& multipliers) const;

 private:
  double charge(Index j, double push, double x, double scale, double at_stake) const;

  const Region& region_;
  Vector origin_, gradient_there_, curvature_;
  std::vector<bool> in_row_;
};

}  // namespace bridle::second
