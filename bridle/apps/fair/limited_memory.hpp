// Curvature from the last steps alone (L-BFGS): for models with too many weights for a Hessian.
#pragma once

#include <deque>

#include "bridle/core/types.hpp"

namespace bridle {

class LimitedMemory {
 public:
  // The gradient changed by `change` over `step`. A change that says the curvature is negative, or hardly
  // positive, is mixed with what is known (Powell's damping), so that the model stays positive definite.
  void remember(const Vector& step, Vector change);
  // The inverse of the model's Hessian times each column.
  Matrix inverse_times(const Matrix& columns) const;
  bool empty() const { return pairs_.empty(); }

 private:
  struct Pair {
    Vector step, change;
    double product;  // of the two, positive
  };
  Vector inverse_times_one(Vector v) const;

  std::deque<Pair> pairs_;
  double scale_ = 1;  // of the inverse before any pair counts
};

}  // namespace bridle
