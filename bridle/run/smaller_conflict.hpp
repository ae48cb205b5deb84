// A proof that rows contradict each other which names no row that it can do without.
#pragma once

#include "bridle/certify/infeasibility.hpp"

namespace bridle {

// Tries to do without each of the rows in turn: the contradiction of those that are left, which the judge
// checks on the whole problem. Of more rows than a user would look at, or a system that is not quick to be
// had, the proof is returned as it is. Rows of X are kept.
Infeasibility smaller_conflict(const Problem& problem, Infeasibility proof);

}  // namespace bridle
