// The rivals without multipliers.
#pragma once

#include <cmath>

#include "bridle/algorithms/safeguarded.hpp"

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

// rho_t = rho t^growth, tau_t = tau t^-decay, alpha_t = min(1, alpha t^-momentum), t = 1, 2, ...
struct PenaltyOrders {
  double growth, decay, momentum;
  Parameters at(const Parameters& p, double t) const {
    return {.tau = p.tau * std::pow(t, -decay),
            .rho = p.rho * std::pow(t, growth),
            .alpha = std::min(1.0, p.alpha * std::pow(t, -momentum))};
  }
};
// Alacaoglu and Wright 2024, stochastic constraints; eps^-5.
inline constexpr PenaltyOrders alacaoglu_wright_orders{0.2, 0.6, 0.8};
// Lu, Mei and Xiao 2024, deterministic constraints, recursive momentum (eps^-3) and Polyak's (eps^-4). Their
// truncation of dhat to a ball that holds grad f is left out: no bound on |grad f| is asked for here.
inline constexpr PenaltyOrders lu_mei_xiao_orders{1.0 / 3, 1.0 / 3, 2.0 / 3};
inline constexpr PenaltyOrders lu_mei_xiao_polyak_orders{0.25, 0.5, 0.5};

// Known rows: x_{t+1} = proj(x_t - tau_t (dhat_t + rho_t A'(A x_t - b))), dhat by STORM. (Alacaoglu and
// Wright have STORM estimate the penalty's gradient too; where that gradient is known its estimate is exact.)
template <EstimatingPlainIterate It, const PenaltyOrders& orders>
class GrowingPenaltyStorm final : public SteppedMethod<GrowingPenaltyStorm<It, orders>, It> {
 public:
  using SteppedMethod<GrowingPenaltyStorm<It, orders>, It>::SteppedMethod;
  void run(const Stage& stage, std::uint64_t first, std::uint64_t count) override {
    if (first == 0) this->it.start_estimate(this->batch, this->draw());
    t_ = first;
    SteppedMethod<GrowingPenaltyStorm<It, orders>, It>::run(stage, first, count);
  }
  void step(const Parameters& p) {
    const Parameters now = orders.at(p, static_cast<double>(++t_));
    this->it.measure_residual();
    this->it.use_estimate();
    this->it.add_constraint_pull(now.rho);  // y = 0
    this->it.primal_step(now.tau, 0);
    this->it.update_estimate(now.alpha, this->batch, this->draw());
  }

 private:
  std::uint64_t t_ = 0;
};

// Lu, Mei and Xiao's second method: Polyak's momentum, one gradient per iteration,
//   x_{t+1} = proj(x_t - tau_t (dhat_t + rho_t A'(A x_t - b))),
//   dhat_{t+1} = (1 - alpha_t) dhat_t + alpha_t grad f(x_{t+1}, xi_{t+1}).
template <PolyakPlainIterate It>
class LuMeiXiaoPolyak final : public SteppedMethod<LuMeiXiaoPolyak<It>, It> {
 public:
  using SteppedMethod<LuMeiXiaoPolyak<It>, It>::SteppedMethod;
  void run(const Stage& stage, std::uint64_t first, std::uint64_t count) override {
    if (first == 0) this->it.start_estimate(this->batch, this->draw());
    t_ = first;
    SteppedMethod<LuMeiXiaoPolyak<It>, It>::run(stage, first, count);
  }
  void step(const Parameters& p) {
    const Parameters now = lu_mei_xiao_polyak_orders.at(p, static_cast<double>(++t_));
    this->it.measure_residual();
    this->it.use_estimate();
    this->it.add_constraint_pull(now.rho);
    this->it.primal_step(now.tau, 0);
    this->it.blend_estimate(now.alpha, this->batch, this->draw());
  }

 private:
  std::uint64_t t_ = 0;
};

// Alacaoglu and Wright's method where the rows are known through draws: STORM on the whole gradient of the
// penalty function, rho_t being part of what changes from step to step,
//   ghat_t = g_t(x_t) + (1 - alpha_t)(ghat_{t-1} - g_{t-1}(x_{t-1})),
//   g_t(x) = grad f(x, xi) + rho_t A_zeta1'(A_zeta2 x - b_zeta2), the same draws at both points.
template <EstimatedRowsIterate It>
class DrawnAlacaogluWrightPenalty final : public SteppedMethod<DrawnAlacaogluWrightPenalty<It>, It> {
  using Base = SteppedMethod<DrawnAlacaogluWrightPenalty<It>, It>;

 public:
  DrawnAlacaogluWrightPenalty(It iterate, Index sample_count, const MethodSettings& settings)
      : Base(std::move(iterate), sample_count, settings), rows_(settings.seed) {}
  void run(const Stage& stage, std::uint64_t first, std::uint64_t count) override {
    if (first == 0) {
      std::vector<RowTriple> zetas;
      rows_.besides(it.draws(), batch, zetas);
      it.start_estimates(batch, draw(), stage.parameters.rho, zetas);
    }
    t_ = first;
    Base::run(stage, first, count);
  }
  void step(const Parameters& p) {
    const double t = static_cast<double>(++t_);
    const Parameters now = alacaoglu_wright_orders.at(p, t);
    if (t_ > 1)
      it.update_pull_estimate(now.alpha, now.rho, alacaoglu_wright_orders.at(p, t - 1).rho, rows_.zeta1(t_),
                              rows_.zeta2(t_));
    it.use_estimates();
    it.primal_and_smoothing_step({.tau = now.tau});
    it.update_estimates(now.alpha, batch, draw(), rows_.zeta(t_));
  }

 private:
  using Base::batch, Base::draw, Base::it;

  RowDraws rows_;
  std::uint64_t t_ = 0;
};

}  // namespace bridle
