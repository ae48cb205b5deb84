// Rows that need no multiplier in the loop: a row with one variable is a bound of X.
#pragma once

#include <vector>

#include "bridle/problem/problem.hpp"

namespace bridle {

struct Presolved {
  AnySet set;                    // X with the bounds of singleton rows, when X is a box
  std::vector<Index> kept_rows;  // the rows of the problem that stay rows
};

Presolved presolve(const Problem& problem);

}  // namespace bridle
