// Problems with smooth constraints from W. Hock and K. Schittkowski, Test Examples for Nonlinear Programming
// Codes (1981), under their numbers, with the published optima.
#pragma once

#include <string>
#include <vector>

#include "bridle/problem/problem.hpp"

namespace bridle::hock_schittkowski {

// How gradients of the objective are had.
enum class Gradients {
  exact,
  noisy,        // single ones have noise; their mean and f are known
  samples_only  // nothing but noisy ones and noisy values
};

struct Instance {
  int number;
  double optimum;   // published
  bool best_known;  // false: other stationary points are answers too
  Problem problem;
};

// The numbers of all problems.
std::vector<int> numbers();
// Noise: each entry of a sample gradient has this standard deviation, times the root mean square of the
// gradient's entries at the start.
Instance instance(int number, Gradients gradients = Gradients::exact, double noise = 0.1);

}  // namespace bridle::hock_schittkowski
