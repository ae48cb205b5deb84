// Algorithm 1 of the paper: smoothed, linearised augmented Lagrangian method, deterministic constraints, one
// sample per iteration.
#pragma once

#include "bridle/algorithms/concepts.hpp"
#include "bridle/algorithms/method.hpp"

namespace bridle {

template <SmoothedIterate It>
class Smoothed final : public SteppedMethod<Smoothed<It>, It> {
 public:
  using SteppedMethod<Smoothed<It>, It>::SteppedMethod;

  void step(const Parameters& p) {
    this->it.dual_step(p.eta);                            // y_{t+1} = y_t + eta (A x_t - b)
    this->it.sample_gradient(this->batch, this->draw());  // draw xi_t;  G = grad f(x_t, xi_t)
    this->it.add_constraint_pull(p.rho);                  //   + A'(y_{t+1} + rho (A x_t - b))
    this->it.primal_and_smoothing_step(p);  //   + mu (x_t - z_t);  x_{t+1} = proj_X(x_t - tau G)
                                            // z_{t+1} = z_t + beta (x_t - z_t), from the old x_t
  }
};

}  // namespace bridle
