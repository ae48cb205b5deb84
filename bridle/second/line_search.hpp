// How far to go along a step.
#pragma once

#include <optional>

#include "bridle/second/landscape.hpp"
#include "bridle/second/region.hpp"
#include "bridle/second/work.hpp"

namespace bridle::second {

struct LinePoint {
  double length = 0, value = 0;
  Vector x;
};

// How far the outputs of a nonconvex model may move in one step (root mean square): beyond it the model
// knows little of them.
class Trust {
 public:
  double cap(double moved) const { return moved > 0 ? std::min(1.0, radius_ / moved) : 1; }
  void learn(double first, double length, double moved);

 private:
  double radius_ = 1;
};

// The first of the lengths first, first/2, ... at which f has fallen enough, or has not risen beyond rounding
// and is flat enough (Hager and Zhang). `slope` = g'd < 0.
std::optional<LinePoint> search_line(const Region& region, Landscape& landscape, const Vector& x,
                                     const Vector& d, double slope, double first, double rounding,
                                     Work& work);

// The first of the lengths longest, longest/2, ... at which f is lower by more than `rounding`, and by a
// tenth of length^2 times the negative `curvature`.
std::optional<LinePoint> leave_along(const Region& region, Landscape& landscape, const Vector& x,
                                     const Vector& d, double curvature, double longest, double rounding,
                                     Work& work);

// The largest length for which x + length d keeps the bounds and rows, for a direction along a face.
double longest_feasible(const Region& region, const Face& face, const Vector& x, const Vector& d);

}  // namespace bridle::second
