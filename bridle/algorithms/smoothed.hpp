// Algorithm 1 of the paper: smoothed, linearised augmented Lagrangian method, deterministic constraints, one
// sample per iteration.
#pragma once

#include "bridle/algorithms/method.hpp"

namespace bridle {

template <class It>
class Smoothed final : public Method {
 public:
  Smoothed(It iterate, Index sample_count, const Drawing& drawing)
      : iterate_(std::move(iterate)),
        batch_(drawing.batch),
        sampler_(sample_count, drawing.sampling, drawing.seed) {}

  void step(const Parameters& p) {
    iterate_.dual_step(p.eta);                                 // y_{t+1} = y_t + eta (A x_t - b)
    iterate_.sample_gradient(batch_, [&] { return draw(); });  // draw xi_t; grad f(x_t, xi_t)
    iterate_.primal_step(p);                                   // x_{t+1} = proj_X(x_t - tau G), G at y_{t+1};
                              // z_{t+1} = z_t + beta (x_t - z_t), from the old x_t
  }

  void run(const Stage& stage, std::uint64_t first, std::uint64_t count) override {
    for (std::uint64_t t = first; t < first + count; ++t) step(stage.at(t));
  }

  const Iterate& state() const override { return iterate_.state(); }

 private:
  Sample draw() { return sampler_(iterate_.draws()++); }

  It iterate_;
  Index batch_;
  Sampler sampler_;
};

}  // namespace bridle
