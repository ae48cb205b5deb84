// What the phase has spent, and whether it shall end.
#pragma once

#include <functional>

#include "bridle/core/types.hpp"

namespace bridle::second {

struct Spent {
  double full_gradients = 0;    // passes over all samples, or shares of one
  double hessians = 0;          // dense ones
  double hessian_products = 0;  // of all samples, or shares of one
  Index projections = 0;
  Index factorisations = 0;   // of dense matrices
  Index interior_points = 0;  // quadratic programs that took one
  int iterations = 0;

  Spent& operator+=(const Spent& more) {
    full_gradients += more.full_gradients;
    hessians += more.hessians;
    hessian_products += more.hessian_products;
    projections += more.projections;
    factorisations += more.factorisations;
    interior_points += more.interior_points;
    iterations += more.iterations;
    return *this;
  }
};

class Work {
 public:
  explicit Work(const std::function<bool()>& stop) : stop_(stop) {}

  Spent spent;
  // Asked in every inner iteration.
  bool stopped() { return stopped_ = stopped_ || (stop_ && stop_()); }

 private:
  const std::function<bool()>& stop_;
  bool stopped_ = false;
};

}  // namespace bridle::second
