// Algorithm 3 of the paper: Algorithm 1 with STORM variance reduction; two gradients per iteration, both at
// one sample.
#pragma once

#include "bridle/algorithms/concepts.hpp"
#include "bridle/algorithms/method.hpp"
#include "bridle/params/first_batch.hpp"

namespace bridle {

template <EstimatingIterate It>
class Storm final : public SteppedMethod<Storm<It>, It> {
 public:
  using SteppedMethod<Storm<It>, It>::SteppedMethod;

  void run(const Stage& stage, std::uint64_t first, std::uint64_t count) override {
    if (first == 0) {
      const Index size = first_batch(stage, this->batch);
      this->make_ready(static_cast<std::uint64_t>(size));
      this->it.start_estimate(size, this->draw());  // dhat_0
    }
    SteppedMethod<Storm<It>, It>::run(stage, first, count);
  }

  void step(const Parameters& p) {
    this->it.dual_step(p.eta);              // y_{t+1} = y_t + eta (A x_t - b)
    this->it.use_estimate();                // G = dhat_t
    this->it.add_constraint_pull(p.rho);    //   + A'(y_{t+1} + rho (A x_t - b))
    this->it.primal_and_smoothing_step(p);  //   + mu (x_t - z_t);  x_{t+1} = proj_X(x_t - tau G)
                                            // z_{t+1} = z_t + beta (x_t - z_t), from the old x_t
    // draw xi_{t+1};  dhat_{t+1} = grad f(x_{t+1}, xi_{t+1}) + (1 - alpha)(dhat_t - grad f(x_t, xi_{t+1}))
    this->it.update_estimate(p.alpha, this->batch, this->draw());
  }
};

}  // namespace bridle
