// Li, Chen, Liu, Lu and Xu 2024, Stoc-iALM: outer rounds k = 0, 1, ... with rho_k = rho 2^k. A round is a run
// of PStorm (STORM with projections, begun anew) on the augmented Lagrangian at fixed y, then one damped dual
// step
//   y_{k+1} = y_k + w_k c(x_{k+1}),  w_k = eta min(1, (log 2)^2 |c(x_1)| / ((k+1) log(k+2)^2 |c(x_{k+1})|)).
// The paper ends a round at a target accuracy; here round k has 2^k parts of the horizon, six rounds in all.
// Uses tau, eta, rho, alpha. The state's own: |c(x_1)|.
#pragma once

#include <cmath>

#include "bridle/algorithms/safeguarded.hpp"
#include "bridle/params/first_batch.hpp"

namespace bridle {

class OuterRounds {
 public:
  explicit OuterRounds(std::uint64_t iterations)
      : part_(std::max<double>(1, static_cast<double>(iterations) / 63)) {}  // 1 + 2 + 4 + ... + 32
  int round_of(std::uint64_t t) const {
    return static_cast<int>(std::log2(static_cast<double>(t) / part_ + 1));
  }
  bool begins_at(std::uint64_t t) const { return t == 0 || round_of(t) != round_of(t - 1); }
  bool ends_after(std::uint64_t t) const { return begins_at(t + 1); }
  // (log 2)^2 / ((k+1) log(k+2)^2)
  static double damping(int k) {
    const double part = std::log(2.0) / std::log(k + 2.0);
    return part * part / (k + 1);
  }

 private:
  double part_;
};

template <class It>
requires EstimatingPlainIterate<It> && OuterDualIterate<It>
class StocIalm final : public SteppedMethod<StocIalm<It>, It> {
 public:
  using SteppedMethod<StocIalm<It>, It>::SteppedMethod;
  void run(const Stage& stage, std::uint64_t first, std::uint64_t count) override {
    rounds_ = OuterRounds(stage.iterations);
    first_batch_ = first_batch(stage, this->batch);
    t_ = first;
    SteppedMethod<StocIalm<It>, It>::run(stage, first, count);
  }
  void step(const Parameters& p) {
    const int k = rounds_.round_of(t_);
    const double rho = p.rho * std::exp2(k), tau = p.tau * std::exp2(-k);
    if (rounds_.begins_at(t_)) this->it.start_estimate(first_batch_, this->draw());  // PStorm's first batch
    this->it.measure_residual();
    this->it.use_estimate();
    this->it.add_constraint_pull(rho);  // the rows are known: their part of the gradient is exact
    this->it.primal_step(tau, 0);
    this->it.update_estimate(p.alpha, this->batch, this->draw());
    if (rounds_.ends_after(t_++)) this->it.outer_dual_step(p.eta, OuterRounds::damping(k));
  }

 private:
  OuterRounds rounds_{1};
  Index first_batch_ = 1;
  std::uint64_t t_ = 0;
};

// The same where the rows are known through draws: PStorm estimates A'(y + rho_k (A x - b)) too, by two
// draws, and the dual step takes a mean over as many draws as a first batch has.
template <class It>
requires EstimatedRowsIterate<It> && DrawnOuterDualIterate<It>
class DrawnStocIalm final : public SteppedMethod<DrawnStocIalm<It>, It> {
  using Base = SteppedMethod<DrawnStocIalm<It>, It>;

 public:
  DrawnStocIalm(It iterate, Index sample_count, const MethodSettings& settings)
      : Base(std::move(iterate), sample_count, settings), rows_(settings.seed) {}
  void run(const Stage& stage, std::uint64_t first, std::uint64_t count) override {
    rounds_ = OuterRounds(stage.iterations);
    first_batch_ = first_batch(stage, batch);
    t_ = first;
    Base::run(stage, first, count);
  }
  void step(const Parameters& p) {
    const int k = rounds_.round_of(t_);
    const double rho = p.rho * std::exp2(k);
    if (rounds_.begins_at(t_)) {
      rows_.besides(it.draws(), first_batch_, zetas_);
      it.start_estimates(first_batch_, draw(), rho, zetas_);
    } else {
      it.update_pull_estimate(p.alpha, rho, rho, rows_.zeta1(t_), rows_.zeta2(t_));
    }
    it.use_estimates();
    it.primal_and_smoothing_step({.tau = p.tau * std::exp2(-k)});
    it.update_estimates(p.alpha, batch, draw(), rows_.zeta(t_));
    if (!rounds_.ends_after(t_++)) return;
    rows_.besides(it.draws(), first_batch_, zetas_);
    it.outer_dual_step(p.eta, OuterRounds::damping(k), zetas_);
  }

 private:
  using Base::batch, Base::draw, Base::it;

  RowDraws rows_;
  OuterRounds rounds_{1};
  Index first_batch_ = 1;
  std::vector<RowTriple> zetas_;
  std::uint64_t t_ = 0;
};

}  // namespace bridle
