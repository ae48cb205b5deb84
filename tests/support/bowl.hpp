// A quadratic that is known through its gradient and value alone, as a user's function is.
#pragma once

#include "bridle/core/types.hpp"

namespace bridle::test {

// f = sum_j weight_j (x_j - target_j)^2
struct Bowl {
  Vector weight, target;

  Index dimension() const { return weight.size(); }
  Index sample_count() const { return 1; }
  void gradient(ConstVectorRef x, Sample, VectorRef out) const { out = 2 * weight.cwiseProduct(x - target); }
  void mean_gradient(ConstVectorRef x, VectorRef out) const { gradient(x, 0, out); }
  double mean_value(ConstVectorRef x) const { return weight.dot((x - target).cwiseAbs2()); }
};

}  // namespace bridle::test
