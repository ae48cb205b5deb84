// Multipliers by bounded least squares: the y that makes grad f + A'y + N_X(x) come closest to 0.
#pragma once

#include "bridle/problem/problem.hpp"

namespace bridle {

// Bounds on each multiplier: free for a touched equality, one sign at a touched bound, 0 elsewhere.
struct MultiplierBounds {
  Vector lower, upper;
};

// A row's bound counts as touched when A x is within `width` (1 + |bound|) of it.
MultiplierBounds multiplier_bounds(const Rows& rows, const Vector& activity, double width);

// Minimises |P_T(-(gradient + A'y))|^2 / 2 over the bounds, T the tangent cone of X at x, by a projected
// semismooth Newton method started from y. P_T is piecewise linear, so a few steps suffice.
Vector fit_multipliers(const Problem& problem, const Vector& x, const Vector& gradient,
                       const MultiplierBounds& bounds, Vector y);

}  // namespace bridle
