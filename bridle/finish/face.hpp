// A face of the set of a quadratic programme: the variables that are held at their bounds. Where the face of
// the solution is known, the solution is one linear system away, to rounding.
#pragma once

#include <vector>

#include "bridle/finish/diagonal_qp.hpp"

namespace bridle {

enum class Side : char { inside, at_lower, at_upper };

// The minimiser with the given variables held at their bounds. False when there is none.
bool solve_on_face(const DiagonalQp& qp, const std::vector<Side>& side, Vector& w, Vector& y);

// Finds the face by Newton's method on it (a primal-dual active set): a variable that leaves its bounds is
// held there, one that pulls away from its bound is let go. True when nothing is wrong by more than `slack`.
bool settle_on_face(const DiagonalQp& qp, std::vector<Side>& side, double slack, Vector& w, Vector& y);

// Variables that have come to rest on a bound without a push against it, as on a degenerate face, are held
// there too: by rounding they would be next to it.
std::vector<Side> at_rest(const DiagonalQp& qp, const std::vector<Side>& side, const Vector& w);

}  // namespace bridle
