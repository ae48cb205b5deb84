// grad f(x) and f(x), exactly or from a batch of samples that the solver never sees.
#pragma once

#include "bridle/problem/objectives/quadratic.hpp"
#include "bridle/problem/problem.hpp"

namespace bridle {

// In extended precision: far out, what nearly cancels can be less than the rounding of its terms.
using WideVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

// start + Q d, of which little may be left.
WideVector with_product(const Vector& start, const Quadratic& f, const Vector& d);

struct Evaluation {
  WideVector gradient;       // added up in extended precision where f is quadratic
  Vector gradient_variance;  // of one sample, entry by entry; empty when the gradient is exact
  double value = 0;          // NaN when there is no value function
  long double varying = 0;   // the value, of a quadratic without its constant, which changes nothing
  double value_halfwidth = 0;
  Index gradients = 0;
  Index batch = 0;

  bool exact() const { return gradient_variance.size() == 0; }
  bool has_gradient() const { return gradient.cast<double>().allFinite(); }
  // 95% bound of the error of the gradient, every entry divided by its scale: the error of the mean has
  // E|error / scale|^2 = v/B, v the trace of the scaled covariance, and by Gaussian concentration is below
  // sqrt(v/B) (1 + 1.645) with probability 0.95.
  double halfwidth(const Vector& scale) const;
};

Evaluation evaluate(const AnyObjective& objective, const Vector& x, Index batch, std::uint64_t seed);

}  // namespace bridle
