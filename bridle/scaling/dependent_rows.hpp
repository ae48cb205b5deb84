// Equality rows that follow from others. In the loop they would only make A A' singular.
#pragma once

#include <vector>

#include "bridle/problem/problem.hpp"

namespace bridle {

// Among the rows listed, the equalities that are combinations of other equalities and agree with them; one
// that contradicts them stays, to be found infeasible. Systems too large to factorise in a moment are left
// alone.
std::vector<Index> dependent_rows(const Rows& rows, const std::vector<Index>& candidates);

}  // namespace bridle
