// Rays are known to doubles, and so are the prices A'y that ought to vanish on variables without a bound.
#pragma once

#include <vector>

#include "bridle/certify/evaluation.hpp"

namespace bridle {

// Moves y by no more than what rounding and a solver's last digits may have left in it, so that the prices of
// these columns vanish to extended precision where the rows allow that; entries that are 0 stay. What is left
// of a price then is the data's. False, and y as it was: too large a system, or y would have to change by
// more.
bool cancel_prices(const SparseRows& rows, const std::vector<Index>& columns, WideVector& y);

}  // namespace bridle
