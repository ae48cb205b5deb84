// Guesses that may prove that a problem has no solution; the judge checks them.
#pragma once

#include <optional>

#include "bridle/finish/feasible_set.hpp"

namespace bridle {

// The projection of -slope onto { d : x + t d feasible for all t >= 0 }, on which a quadratic's curvature is
// also 0 if `flat`, in units in which rows and columns are about the same length; zero when there is no such
// direction. Nothing when the set cannot be factorised.
std::optional<Vector> recession_direction(const Problem& problem, const Vector& slope, bool flat);

// Where the rows are broken least in such units, and how much each is broken there: if no point meets them,
// this y proves it. Nothing when the system to be factorised would have more entries than `most_entries`.
std::optional<FeasibleSet::LeastViolation> contradiction(const Problem& problem,
                                                         double most_entries = FeasibleSet::largest_system);

}  // namespace bridle
