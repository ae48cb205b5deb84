// A step of the phase, and the two ways to find one.
#pragma once

#include <memory>

#include "bridle/second/landscape.hpp"
#include "bridle/second/region.hpp"
#include "bridle/second/work.hpp"

namespace bridle::second {

struct Step {
  Vector d;            // x + d is feasible
  Vector multipliers;  // of the region's rows
  double shift = 0;    // curvature that was added to make the model convex, as a share of the largest
};

// Finds steps that minimise a quadratic model over the region.
class StepFinder {
 public:
  virtual ~StepFinder() = default;
  // False: there is none to be had, or the work was stopped. `error` is the estimated error at x.
  virtual bool find(const Vector& x, double error, Work& work, Step& step) = 0;
  // The step that was found led down by a line search of this length (0: it did not). True when the finder
  // has a better model to offer after a failure.
  virtual bool report(double length, double error, double error_before) = 0;
};

// With dense Hessians. `weight` has the inverse of each variable's curvature.
std::unique_ptr<StepFinder> dense_steps(const Region& region, Landscape& landscape, const Vector& weight);
// With products.
std::unique_ptr<StepFinder> operator_steps(const Region& region, Landscape& landscape, const Vector& weight);

}  // namespace bridle::second
