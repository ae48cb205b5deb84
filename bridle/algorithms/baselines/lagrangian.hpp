// The rivals with multipliers.
#pragma once

#include "bridle/algorithms/method.hpp"
#include "bridle/algorithms/storm.hpp"

namespace bridle {

// Plain stochastic augmented Lagrangian: Algorithm 1 without smoothing. Uses tau, eta, rho.
template <SampledPlainIterate It>
class PlainAlm final : public SteppedMethod<PlainAlm<It>, It> {
 public:
  using SteppedMethod<PlainAlm<It>, It>::SteppedMethod;
  void step(const Parameters& p) {
    this->it.dual_step(p.eta);
    this->it.sample_gradient(this->batch, this->draw());
    this->it.add_constraint_pull(p.rho);
    this->it.primal_step(p.tau, 0);
  }
};

// Alacaoglu and Wright 2024, linear equality constraints on the whole space: augmented Lagrangian with
// constant rho, STORM, no smoothing; eps^-3. Uses tau, eta, rho, alpha.
template <EstimatingPlainIterate It>
class AlacaogluWrightAlm final : public SteppedMethod<AlacaogluWrightAlm<It>, It> {
 public:
  using SteppedMethod<AlacaogluWrightAlm<It>, It>::SteppedMethod;
  void run(const Stage& stage, std::uint64_t first, std::uint64_t count) override {
    if (first == 0) this->it.start_estimate(first_batch(stage, this->batch), this->draw());
    SteppedMethod<AlacaogluWrightAlm<It>, It>::run(stage, first, count);
  }
  void step(const Parameters& p) {
    this->it.use_estimate();
    this->it.measure_residual();
    this->it.add_constraint_pull(p.rho);
    this->it.primal_step(p.tau, 0);
    this->it.dual_step(p.eta);  // from the new x
    this->it.update_estimate(p.alpha, this->batch, this->draw());
  }
};

// Zhang and Luo 2022, the deterministic ancestor: full gradients, z follows the new x; eps^-2.
template <FullGradientIterate It>
class ZhangLuo final : public SteppedMethod<ZhangLuo<It>, It> {
 public:
  using SteppedMethod<ZhangLuo<It>, It>::SteppedMethod;
  void step(const Parameters& p) {
    this->it.dual_step(p.eta);
    this->it.full_gradient();
    this->it.add_constraint_pull(p.rho);
    this->it.primal_step(p.tau, p.mu);
    this->it.smoothing_step_from_new_x(p.beta);
  }
};

}  // namespace bridle
