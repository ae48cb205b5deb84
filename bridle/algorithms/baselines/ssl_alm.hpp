// SSL-ALM as published in humancompatible-train (optimizer SSLALM, 2025): Algorithm 2 with fixed constants,
// one draw of the rows for all three places (so that the penalty's gradient is biased where rows are drawn),
// and a dual bound that resets single multipliers, from above only. It does not project; its users keep
// slacks in their bounds by hand, and so does the projection here. Takes no parameters.
#pragma once

#include "bridle/algorithms/safeguarded.hpp"

namespace bridle {

inline constexpr Parameters published_ssl_alm{
    .tau = 0.05, .eta = 0.05, .beta = 0.5, .mu = 2, .rho = 1, .alpha = 1};
inline constexpr double published_dual_bound = 100;

template <SmoothedIterate It>
class SslAlm final : public SteppedMethod<SslAlm<It>, It> {
 public:
  using SteppedMethod<SslAlm<It>, It>::SteppedMethod;
  void step(const Parameters& /*p*/) {
    constexpr Parameters p = published_ssl_alm;
    this->it.dual_step(p.eta);                              // y_i += eta c_i
    this->it.reset_multipliers_from(published_dual_bound);  // if y_i >= 100: y_i = 0
    this->it.sample_gradient(this->batch, this->draw());
    this->it.add_constraint_pull(p.rho);
    this->it.primal_and_smoothing_step(p);
  }
};

template <SampledRowsIterate It>
class DrawnSslAlm final : public SteppedMethod<DrawnSslAlm<It>, It> {
  using Base = SteppedMethod<DrawnSslAlm<It>, It>;

 public:
  DrawnSslAlm(It iterate, Index sample_count, const MethodSettings& settings)
      : Base(std::move(iterate), sample_count, settings), rows_(settings.seed) {}
  void step(const Parameters& /*p*/) {
    constexpr Parameters p = published_ssl_alm;
    const Sample zeta = rows_.zeta(this->it.draws());
    this->it.guarded_dual_step(p.eta, infinity, zeta);
    this->it.reset_multipliers_from(published_dual_bound);
    this->it.sample_gradient(this->batch, this->draw());
    this->it.add_constraint_pull(p.rho, zeta, zeta);
    this->it.primal_and_smoothing_step(p);
  }

 private:
  RowDraws rows_;
};

}  // namespace bridle
