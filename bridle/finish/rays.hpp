// Guesses that may prove that a problem has no solution; the judge checks them.
#pragma once

#include <optional>

#include "bridle/problem/problem.hpp"

namespace bridle {

// The projection of -slope onto { d : x + t d feasible for all t >= 0 }, on which a quadratic's curvature is
// also 0 if `flat`, in units in which rows and columns are about the same length; zero when there is no such
// direction. Nothing when the set cannot be factorised.
std::optional<Vector> recession_direction(const Problem& problem, const Vector& slope, bool flat);

// How much each row of the problem, then of X, is broken where they are broken least, in such units: if no
// point meets them, this y proves it (FeasibleSet::least_violation).
std::optional<Vector> contradiction(const Problem& problem);

}  // namespace bridle
