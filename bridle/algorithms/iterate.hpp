// The variables of the method in the standard form, and the steps the paper's algorithms are made of.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

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

// The samples of a batch, in memory that is kept.
class DrawnBatch {
 public:
  template <class Draw>
  void draw(Index count, Draw&& next) {
    samples_.clear();
    for (Index k = 0; k < count; ++k) samples_.push_back(next());
  }
  std::span<const Sample> all() const { return samples_; }

 private:
  std::vector<Sample> samples_;
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
        direction_(form.dimension()),
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
    samples_.draw(batch, draw);
    form_.batch_gradient(now_.x, samples_.all(), direction_, point_);
  }

  // direction <- grad f(x)
  void full_gradient() { form_.mean_gradient(now_.x, direction_, point_); }

  // direction <- the carried estimate
  void use_estimate() { direction_ = now_.estimate; }

  // estimate <- mean over a batch at x: STORM's first
  template <class Draw>
  void start_estimate(Index batch, Draw&& draw) {
    now_.estimate.resize(form_.dimension());
    samples_.draw(batch, draw);
    form_.batch_gradient(now_.x, samples_.all(), now_.estimate, point_);
  }

  // estimate <- grad f(x, xi) + (1 - alpha)(estimate - grad f(x_old, xi)), both at the same samples
  template <class Draw>
  void update_estimate(double alpha, Index batch, Draw&& draw) {
    samples_.draw(batch, draw);
    now_.estimate *= 1 - alpha;
    form_.batch_gradient(now_.x, samples_.all(), direction_, point_);
    now_.estimate += direction_;
    form_.batch_gradient(previous_, samples_.all(), direction_, point_);
    now_.estimate -= (1 - alpha) * direction_;
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
  const StandardForm& form_;
  Iterate now_;
  Vector residual_, weight_, scratch_;
  Vector direction_, previous_, point_;
  DrawnBatch samples_;
};

}  // namespace bridle
