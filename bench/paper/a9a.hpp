// A real loss for question 3: the logistic difference on a9a, 32,561 samples, 123 weights in [-1, 1], four
// rows of unit length over groups of one-hot columns: two equalities, two inequalities.
#pragma once

#include <optional>

#include "bridle/problem/problem.hpp"

namespace bridle::paper {

struct A9a {
  Problem problem;
  double smoothness;  // h lambda_max(X'X/N), a bound on L_f
  double row_norm;    // of the rows with their slack columns
};

// Nothing where the data is not there; says so on the screen.
std::optional<A9a> load_a9a();

}  // namespace bridle::paper
