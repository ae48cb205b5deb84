// Multipliers by bounded least squares: the y that makes grad f + A'y + N_X(x) come closest to 0.
#pragma once

#include <functional>

#include "bridle/certify/scales.hpp"

namespace bridle {

// Bounds on each multiplier: free for a touched equality, one sign at a touched bound, 0 elsewhere.
struct MultiplierBounds {
  Vector lower, upper;
  Vector anchor = {};  // the point of X whose tangent cone belongs to them
};

// `touched` says which bounds of rows are: (row, bound). A bound that is broken is touched too.
MultiplierBounds multiplier_bounds(const Rows& rows, const Vector& activity,
                                   const std::function<bool(Index, double)>& touched);

// Proportional to 1 / D_j; 1 where D_j = 0.
Vector fitting_weights(Vector scales);

// Minimises |W P_T(-(gradient + A'y))|^2 / 2 over the bounds, W the weights, T the tangent cone of X at x, by
// a projected semismooth Newton method started from y. P_T is piecewise linear, so a few steps suffice. Rows
// of any length do, because they are brought to length 1 first.
Vector fit_multipliers(const Problem& problem, const Vector& x, const Vector& gradient, const Vector& weights,
                       const MultiplierBounds& bounds, const Vector& y);

}  // namespace bridle
