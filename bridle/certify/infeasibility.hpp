// Proof that no point meets the constraints, checked by the judge in the user's units.
//
// Write X as lower <= x <= upper with some rows of its own, and all rows together as l <= A x <= u. If for
// one y
//   min over the bounds of (A'y)'x   >   max over [l, u] of y's,
// then no x does both (Farkas). A variable without a bound spoils the left side as soon as (A'y)_j is not
// exactly zero, which rounding forbids; so the proof comes with a reach: it holds for all x whose unbounded
// variables are at most that many times their size, the largest |b_i| / |a_ij| of their rows.
#pragma once

#include <optional>

#include "bridle/problem/problem.hpp"

namespace bridle {

struct Infeasibility {
  Vector ray;      // y, one entry per row of the problem, then per row of X; scaled to max |y_i| |a_i| = 1
  double margin;   // left side minus right side, rounding deducted
  double reach;    // in sizes; infinity when every variable that matters is bounded
  Names conflict;  // the rows that contradict each other, the heaviest first
};

// Nothing unless y, its entries of no weight or of the wrong sign dropped, proves infeasibility up to this
// reach. A y with one entry per row of the problem says that the rows of X take no part. Sets without a
// linear description (an l1 ball) are beyond this proof. Smooth rows take no part in it: what contradicts
// itself without them does so with them.
inline constexpr double least_reach = 1e10;
std::optional<Infeasibility> prove_infeasible(const Problem& problem, const Vector& y);

}  // namespace bridle
