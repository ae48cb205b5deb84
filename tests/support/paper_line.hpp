// What the slips share: a problem in one variable where everything has a closed form.
#pragma once

#include <cmath>

#include "tests/support/paper_slips.hpp"

namespace bridle::paper {

// One variable, one row a x = b: everything in closed form. f(x) = h x^2/2 + c x, X = R.
struct Line {
  double h = -1, c = 0, a = 1, b = 0, mu = 4, rho = 1, lambda = 6;
  double curvature() const { return h + rho * a * a + mu; }  // of K
  double slope(double x, double y, double z) const {
    return h * x + c + a * (y + rho * (a * x - b)) + mu * (x - z);
  }
  double prox(double x, double y, double z) const {  // u*(x, y, z)
    return (lambda * x + mu * z - c - a * (y - rho * b)) / (curvature() + lambda);
  }
  double minimiser(double y, double z) const {  // x*(y, z)
    return (mu * z - c - a * (y - rho * b)) / curvature();
  }
};

// |direction - grad K| at a point, direction = grad f + A'y + penalty A'(A x - b) + pull (x - z)
inline double from_gradient(double penalty, double pull) {
  const Line line{.a = 1.5, .b = 0.3, .rho = 2};
  const double x = 0.7, y = 0.4, z = -0.2;
  const double direction =
      line.h * x + line.a * y + penalty * line.a * (line.a * x - line.b) + pull * (x - z);
  return std::abs(direction - line.slope(x, y, z));
}

// In paper_slips_storm.cpp
Slip storm_direction();
Slip storm_recursion();
Slip plain_case();
Slip first_batch_size();
Slip dual_step_bound();
Slip step_coefficient();
Slip smoothing_coefficient();
Slip dropped_mu();

}  // namespace bridle::paper
