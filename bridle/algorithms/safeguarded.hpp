// Algorithm 2 of the paper: rows known through draws, dual safeguard; one sample of f and three of the rows
// per iteration.
#pragma once

#include "bridle/algorithms/concepts.hpp"
#include "bridle/algorithms/method.hpp"

namespace bridle {

// The draws zeta, zeta', zeta'' of iteration t: functions of (seed, worker, t), independent of each other and
// of xi.
class RowDraws {
 public:
  explicit RowDraws(std::uint64_t seed, std::uint32_t worker = 0)
      : worker_(worker),
        dual_(seed, Purpose::constraint),
        pull_(seed, Purpose::constraint_1),
        residual_(seed, Purpose::constraint_2) {}
  Sample zeta(std::uint64_t t) const { return dual_.bits(t, worker_).first; }
  Sample zeta1(std::uint64_t t) const { return pull_.bits(t, worker_).first; }
  Sample zeta2(std::uint64_t t) const { return residual_.bits(t, worker_).first; }
  // `count` draws of all three that no iteration uses, for estimates made when `draws` samples were drawn
  void besides(std::uint64_t draws, Index count, std::vector<RowTriple>& out) const {
    out.clear();
    for (Index k = 0; k < count; ++k) {
      const std::uint64_t t = beside_the_loop + draws + static_cast<std::uint64_t>(k);
      out.push_back({zeta(t), zeta1(t), zeta2(t)});
    }
  }

 private:
  static constexpr std::uint64_t beside_the_loop = std::uint64_t{1} << 48;
  std::uint32_t worker_;
  Stream dual_, pull_, residual_;
};

template <SampledRowsIterate It>
class Safeguarded final : public SteppedMethod<Safeguarded<It>, It> {
 public:
  Safeguarded(It iterate, Index sample_count, const MethodSettings& settings)
      : SteppedMethod<Safeguarded<It>, It>(std::move(iterate), sample_count, settings),
        rows_(settings.seed, settings.worker),
        dual_bound_(settings.dual_bound) {}

  void step(const Parameters& p) {
    const std::uint64_t t = it.draws();                       // counts draws through all stages
    it.guarded_dual_step(p.eta, dual_bound_, rows_.zeta(t));  // y_{t+1} = y_t + eta (A_zeta x_t - b_zeta);
                                                              // if |y_{t+1}| >= M_y then y_{t+1} = 0
    it.sample_gradient(batch, draw());                        // G = grad f(x_t, xi_t)
    it.add_constraint_pull(p.rho, rows_.zeta1(t), rows_.zeta2(t));  //   + A_zeta1' y_{t+1}
                                                                    //   + rho A_zeta1'(A_zeta2 x_t - b_zeta2)
    it.primal_and_smoothing_step(p);                                //   + mu (x_t - z_t); x_{t+1}, z_{t+1}
  }

 private:
  using Base = SteppedMethod<Safeguarded<It>, It>;
  using Base::batch, Base::draw, Base::it;

  RowDraws rows_;
  double dual_bound_;
};

}  // namespace bridle
