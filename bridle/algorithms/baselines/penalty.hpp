// The rivals without multipliers.
#pragma once

#include <cmath>

#include "bridle/algorithms/method.hpp"
#include "bridle/algorithms/storm.hpp"

namespace bridle {

// Projected SGD on f + (rho/2)|A x - b|^2 with a fixed penalty: what people do first. Uses tau, rho.
template <SampledPlainIterate It>
class PenaltySgd final : public SteppedMethod<PenaltySgd<It>, It> {
 public:
  using SteppedMethod<PenaltySgd<It>, It>::SteppedMethod;
  void step(const Parameters& p) {
    this->it.measure_residual();
    this->it.sample_gradient(this->batch, this->draw());
    this->it.add_constraint_pull(p.rho);
    this->it.primal_step(p.tau, 0);
  }
};

// Shared by the two single-loop penalty methods with growing rho: STORM on f, x <- proj(x - tau_t (dhat +
// rho_t A'(Ax - b))).
template <EstimatingPlainIterate It>
class GrowingPenaltyStorm : public SteppedMethod<GrowingPenaltyStorm<It>, It> {
 public:
  // rho_t = rho (t+1)^growth; tau_t = tau (t+1)^-decay; alpha_t = min(1, alpha (t+1)^-momentum)
  struct Orders {
    double growth, decay, momentum;
  };
  GrowingPenaltyStorm(It iterate, Index sample_count, const MethodSettings& settings, Orders orders)
      : SteppedMethod<GrowingPenaltyStorm<It>, It>(std::move(iterate), sample_count, settings),
        orders_(orders) {}

  void run(const Stage& stage, std::uint64_t first, std::uint64_t count) override {
    if (first == 0) this->it.start_estimate(this->batch, this->draw());
    t_ = first;
    SteppedMethod<GrowingPenaltyStorm<It>, It>::run(stage, first, count);
  }
  void step(const Parameters& p) {
    const double t = static_cast<double>(++t_);
    this->it.measure_residual();
    this->it.use_estimate();
    this->it.add_constraint_pull(p.rho * std::pow(t, orders_.growth));
    this->it.primal_step(p.tau * std::pow(t, -orders_.decay), 0);
    this->it.update_estimate(std::min(1.0, p.alpha * std::pow(t, -orders_.momentum)), this->batch,
                             this->draw());
  }

 private:
  Orders orders_;
  std::uint64_t t_ = 0;
};

// Alacaoglu and Wright 2024, the penalty method for stochastic constraints: rho_t ~ t^(1/5), tau_t ~
// t^(-3/5), alpha_t ~ t^(-4/5); eps^-5.
template <EstimatingPlainIterate It>
class AlacaogluWrightPenalty final : public GrowingPenaltyStorm<It> {
 public:
  AlacaogluWrightPenalty(It iterate, Index sample_count, const MethodSettings& settings)
      : GrowingPenaltyStorm<It>(std::move(iterate), sample_count, settings, {0.2, 0.6, 0.8}) {}
};

// Lu, Mei and Xiao 2024, deterministic constraints: recursive momentum, rho_t ~ t^(1/3), tau_t ~ t^(-1/3)
// (the step also shrinks with the growing curvature rho_t |A|^2), alpha_t ~ t^(-2/3); eps^-3.
template <EstimatingPlainIterate It>
class LuMeiXiao final : public GrowingPenaltyStorm<It> {
 public:
  LuMeiXiao(It iterate, Index sample_count, const MethodSettings& settings)
      : GrowingPenaltyStorm<It>(std::move(iterate), sample_count, settings, {1.0 / 3, 1.0 / 3, 2.0 / 3}) {}
};

}  // namespace bridle
