// Algorithm 4: Algorithm 2 with STORM estimates of grad f(x), of A x - b, and of A'y + rho A'(A x - b), all
// corrected by same-sample differences (the paper's remark after Algorithm 3).
#pragma once

#include "bridle/algorithms/safeguarded.hpp"
#include "bridle/algorithms/storm.hpp"

namespace bridle {

template <EstimatedRowsIterate It>
class SafeguardedStorm final : public SteppedMethod<SafeguardedStorm<It>, It> {
  using Base = SteppedMethod<SafeguardedStorm<It>, It>;

 public:
  SafeguardedStorm(It iterate, Index sample_count, const MethodSettings& settings)
      : Base(std::move(iterate), sample_count, settings),
        rows_(settings.seed, settings.worker),
        dual_bound_(settings.dual_bound) {}

  void run(const Stage& stage, std::uint64_t first, std::uint64_t count) override {
    if (first == 0) {
      const Index size = first_batch(stage, batch);
      std::vector<RowTriple> zetas;
      rows_.besides(it.draws(), size, zetas);
      it.start_estimates(size, draw(), stage.parameters.rho, zetas);  // dhat_0, chat_0, phat_0
    }
    Base::run(stage, first, count);
  }

  void step(const Parameters& p) {
    const std::uint64_t t = it.draws();
    it.estimated_dual_step(p.eta, dual_bound_);  // y_{t+1} = y_t + eta chat_t; safeguard
    it.update_pull_estimate(p.alpha, p.rho, p.rho, rows_.zeta1(t),
                            rows_.zeta2(t));                     // phat_t at (x_t, y_{t+1})
    it.use_estimates();                                          // G = dhat_t + phat_t
    it.primal_and_smoothing_step(p);                             //   + mu (x_t - z_t); x_{t+1}, z_{t+1}
    it.update_estimates(p.alpha, batch, draw(), rows_.zeta(t));  // dhat_{t+1}, chat_{t+1}
  }

 private:
  using Base::batch, Base::draw, Base::it;

  RowDraws rows_;
  double dual_bound_;
};

}  // namespace bridle
