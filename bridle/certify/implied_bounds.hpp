// What the rows and X together leave of every variable.
#pragma once

#include "bridle/problem/problem.hpp"

namespace bridle {

// A row bounds each of its variables as soon as all others in it are bounded: three rounds of that over all
// rows, beginning with `own`.
Bounds implied_bounds(const Rows& rows, Bounds own);

}  // namespace bridle
