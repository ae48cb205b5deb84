// The variables of the method in the standard form, and the steps the paper's algorithms are made of.
#pragma once

#include <cstdint>
#include <utility>

#include "bridle/params/parameters.hpp"
#include "bridle/scaling/standard_form.hpp"

namespace bridle {

struct Iterate {
  Vector x;                 // the paper's x: variables and slacks
  Vector z;                 // the smoothed point that x is held near
  Vector y;                 // multipliers of A x = b
  Vector estimate;          // dhat, the gradient estimate that STORM carries; empty elsewhere
  std::uint64_t draws = 0;  // samples drawn so far, through all stages

  bool finite() const { return x.allFinite() && z.allFinite() && y.allFinite(); }

  template <class Archive>
  void transfer(Archive& archive) {
    archive(x, z, y, estimate, draws);
  }
};

// The dense representation. All buffers are allocated here, none in a step.
class DenseIterate {
 public:
  DenseIterate(const StandardForm& form, Iterate start)
      : form_(form),
        now_(std::move(start)),
        residual_(form.rows()),
        weight_(form.rows()),
        scratch_(form.rows()),
        gradient_(form.dimension()),
        one_gradient_(form.dimension()),
        previous_(form.dimension()),
        point_(form.variables()) {}

  const Iterate& state() const { return now_; }
  std::uint64_t& draws() { return now_.draws; }

  // y <- y + eta (A x - b); keeps the residual for the primal step.
  void dual_step(double eta) {
    form_.residual(now_.x, residual_);
    form_.metric().apply(residual_, scratch_);
    now_.y += eta * residual_;
  }

  // gradient <- mean of grad f(x, xi) over a batch of samples
  template <class Draw>
  void sample_gradient(Index batch, Draw&& draw) {
    form_.gradient(now_.x, draw(), gradient_, point_);
    for (Index k = 1; k < batch; ++k) {
      form_.gradient(now_.x, draw(), one_gradient_, point_);
      gradient_ += one_gradient_;
    }
    if (batch > 1) gradient_ /= static_cast<double>(batch);
  }

  // x <- proj_X(x - tau (gradient + A'(y + rho (A x - b)) + mu (x - z)));  z <- z + beta (x_old - z)
  void primal_step(const Parameters& p) {
    weight_ = now_.y + p.rho * residual_;
    form_.add_adjoint(weight_, gradient_);
    previous_.swap(now_.x);
    now_.x = previous_ - p.tau * (gradient_ + p.mu * (previous_ - now_.z));
    form_.project(now_.x);
    now_.z += p.beta * (previous_ - now_.z);
  }

 private:
  const StandardForm& form_;
  Iterate now_;
  Vector residual_, weight_, scratch_;
  Vector gradient_, one_gradient_, previous_, point_;
};

}  // namespace bridle
