// The variables of the method in the standard form, and the steps the paper's algorithms are made of.
#pragma once

#include <cstdint>
#include <utility>

#include "bridle/core/batch_share.hpp"
#include "bridle/params/parameters.hpp"
#include "bridle/scaling/standard_form.hpp"

namespace bridle {

struct Iterate {
  Vector x;                  // the paper's x: variables and slacks
  Vector z;                  // the smoothed point that x is held near
  Vector y;                  // multipliers of A x = b
  std::uint64_t draws = 0;   // samples drawn so far, through all stages
  std::uint64_t resets = 0;  // times the dual safeguard set y to 0

  // What variance-reduced methods carry; empty elsewhere.
  Vector estimate;           // dhat: of grad f(x)
  Vector residual_estimate;  // of A x - b
  Vector pull_estimate;      // of A'y + rho A'(A x - b)
  Vector previous_x, previous_y;

  bool finite() const { return x.allFinite() && z.allFinite() && y.allFinite(); }

  template <class Archive>
  void transfer(Archive& archive) {
    archive(x, z, y, draws, resets, estimate, residual_estimate, pull_estimate, previous_x, previous_y);
  }
};

// The dense representation. All buffers are allocated here, none in a step.
class DenseIterate {
 public:
  // `share`: batches are spread over processes; null: this one has them whole.
  DenseIterate(const StandardForm& form, Iterate start, const BatchShare* share = nullptr)
      : form_(form),
        share_(share),
        now_(std::move(start)),
        residual_(form.rows()),
        weight_(form.rows()),
        scratch_(form.rows()),
        direction_(form.dimension()),
        one_gradient_(form.dimension()),
        previous_(form.dimension()),
        point_(form.variables()) {}

  const Iterate& state() const { return now_; }
  std::uint64_t& draws() { return now_.draws; }

  // y <- y + eta (A x - b); keeps the residual for `add_constraint_pull`.
  void dual_step(double eta) {
    form_.residual(now_.x, residual_);
    form_.metric().apply(residual_, scratch_);
    now_.y += eta * residual_;
  }

  // direction <- mean of grad f(x, xi) over a batch of samples
  template <class Draw>
  void sample_gradient(Index batch, Draw&& draw) {
    mean_over_batch(now_.x, batch, draw, direction_);
  }

  // direction <- grad f(x)
  void full_gradient() { form_.mean_gradient(now_.x, direction_, point_); }

  // direction <- the carried estimate
  void use_estimate() { direction_ = now_.estimate; }

  // estimate <- mean over a batch at x: STORM's first
  template <class Draw>
  void start_estimate(Index batch, Draw&& draw) {
    now_.estimate.resize(form_.dimension());
    mean_over_batch(now_.x, batch, draw, now_.estimate);
  }

  // estimate <- grad f(x, xi) + (1 - alpha)(estimate - grad f(x_old, xi)), both at the same samples
  template <class Draw>
  void update_estimate(double alpha, Index batch, Draw&& draw) {
    now_.estimate *= 1 - alpha;
    const double share = 1 / static_cast<double>(batch);
    if (share_) {
      sum_over_shared_batch(*share_, batch, draw, direction_, [&](Sample sample) {
        form_.gradient(now_.x, sample, one_gradient_, point_);
        direction_ += one_gradient_;
        form_.gradient(previous_, sample, one_gradient_, point_);
        direction_ -= (1 - alpha) * one_gradient_;
      });
      now_.estimate += share * direction_;
      return;
    }
    for (Index k = 0; k < batch; ++k) {
      const Sample sample = draw();
      form_.gradient(now_.x, sample, one_gradient_, point_);
      now_.estimate += share * one_gradient_;
      form_.gradient(previous_, sample, one_gradient_, point_);
      now_.estimate -= (1 - alpha) * share * one_gradient_;
    }
  }

  // direction += A'(y + rho (A x - b))
  void add_constraint_pull(double rho) {
    weight_ = now_.y + rho * residual_;
    form_.add_adjoint(weight_, direction_);
  }

  // x <- proj_X(x - tau (direction + mu (x - z)))
  void primal_step(double tau, double mu) {
    previous_.swap(now_.x);
    now_.x = previous_ - tau * (direction_ + mu * (previous_ - now_.z));
    form_.project(now_.x);
  }

  // Both at once, as iterates that make one pass over x and z do.
  void primal_and_smoothing_step(const Parameters& p) {
    primal_step(p.tau, p.mu);
    smoothing_step(p.beta);
  }

  // z <- z + beta (x_old - z): from the x before the primal step
  void smoothing_step(double beta) { now_.z += beta * (previous_ - now_.z); }
  // z <- z + beta (x - z): from the new x, as Zhang and Luo do
  void smoothing_step_from_new_x(double beta) { now_.z += beta * (now_.x - now_.z); }

 private:
  template <class Draw>
  void mean_over_batch(const Vector& x, Index batch, Draw&& draw, Vector& out) {
    if (share_) {
      sum_over_shared_batch(*share_, batch, draw, out, [&](Sample sample) {
        form_.gradient(x, sample, one_gradient_, point_);
        out += one_gradient_;
      });
      out /= static_cast<double>(batch);
      return;
    }
    form_.gradient(x, draw(), out, point_);
    for (Index k = 1; k < batch; ++k) {
      form_.gradient(x, draw(), one_gradient_, point_);
      out += one_gradient_;
    }
    if (batch > 1) out /= static_cast<double>(batch);
  }

  const StandardForm& form_;
  const BatchShare* share_;
  Iterate now_;
  Vector residual_, weight_, scratch_;
  Vector direction_, one_gradient_, previous_, point_;
};

}  // namespace bridle
