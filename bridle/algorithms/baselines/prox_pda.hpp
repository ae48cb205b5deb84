// Hong 2016, Prox-PDA: A x = b, X = R^n, full gradients; eps^-2. With B'B = c I - A'A its x-step
//   x_{t+1} = argmin <grad f(x_t), x> + <y_t, A x> + (rho/2)|A x - b|^2 + (rho/2)|x - x_t|^2_{B'B}
// is a gradient step of length tau = 1/(rho c), c >= |A|^2; then y_{t+1} = y_t + rho (A x_{t+1} - b).
// Uses tau, rho.
#pragma once

#include "bridle/algorithms/concepts.hpp"
#include "bridle/algorithms/method.hpp"

namespace bridle {

template <FullGradientIterate It>
class ProxPda final : public SteppedMethod<ProxPda<It>, It> {
 public:
  using SteppedMethod<ProxPda<It>, It>::SteppedMethod;
  void step(const Parameters& p) {
    this->it.measure_residual();
    this->it.full_gradient();
    this->it.add_constraint_pull(p.rho);
    this->it.primal_step(p.tau, 0);
    this->it.dual_step(p.rho);  // from the new x
  }
};

}  // namespace bridle
