// Rows that need no multiplier in the loop: a row with one variable is a bound of X, and one that follows
// from others says nothing new.
#pragma once

#include <vector>

#include "bridle/problem/problem.hpp"

namespace bridle {

struct Presolved {
  Problem problem;               // what was presolved
  AnySet set;                    // X with the bounds of singleton rows, when X is a box
  std::vector<Index> kept_rows;  // the rows of the problem that stay rows
  std::vector<Index> dependent;  // equalities that follow from others
};

Presolved presolve(const Problem& problem, bool drop_dependent = true);

}  // namespace bridle
