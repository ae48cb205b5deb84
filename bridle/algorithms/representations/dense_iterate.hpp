// x and z as vectors: any objective, any set, several passes over x and z in a step.
#pragma once

#include <utility>

#include "bridle/algorithms/iterate.hpp"
#include "bridle/algorithms/representations/drawn_batch.hpp"
#include "bridle/algorithms/representations/rival_duals.hpp"
#include "bridle/params/parameters.hpp"
#include "bridle/scaling/standard_form.hpp"

namespace bridle {

// All buffers are allocated here, none in a step. What the steps do: bridle/algorithms/concepts.hpp.
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
        point_(form.variables()),
        samples_(form.problem().objective()) {}

  void write_to(Iterate& out) const { out = now_; }
  void settle(Iterate& out) { out = now_; }
  void read_in(const Iterate& state) { now_ = state; }
  std::uint64_t& draws() { return now_.draws; }

  void measure_residual() {
    form_.residual(now_.x, residual_);
    form_.metric().apply(residual_, scratch_);
  }
  void dual_step(double eta) {
    measure_residual();
    now_.y += eta * residual_;
  }

  template <class Draw>
  void sample_gradient(Index batch, Draw&& draw) {
    mean_gradient(batch, draw, direction_);
  }

  void full_gradient() { form_.mean_gradient(now_.x, direction_, point_); }

  void use_estimate() { direction_ = now_.estimate; }

  template <class Draw>
  void start_estimate(Index batch, Draw&& draw) {
    now_.estimate.resize(form_.dimension());
    mean_gradient(batch, draw, now_.estimate);
  }

  template <class Draw>
  void update_estimate(double alpha, Index batch, Draw&& draw) {
    now_.estimate *= 1 - alpha;
    samples_.for_each_piece(batch, draw, [&](std::span<const Sample> samples, double share) {
      form_.batch_gradient(now_.x, samples, direction_, point_);
      now_.estimate += share * direction_;
      form_.batch_gradient(previous_, samples, direction_, point_);
      now_.estimate -= share * (1 - alpha) * direction_;
    });
  }

  template <class Draw>
  void blend_estimate(double alpha, Index batch, Draw&& draw) {
    mean_gradient(batch, draw, direction_);
    now_.estimate += alpha * (direction_ - now_.estimate);
  }

  void reset_multipliers_from(double bound) { now_.resets += reset_from(now_.y, bound); }

  void outer_dual_step(double eta, double share) {
    measure_residual();
    now_.y += eta * outer_step_share(now_.own, share, residual_.norm()) * residual_;
  }

  void add_constraint_pull(double rho) {
    weight_ = now_.y + rho * residual_;
    form_.add_adjoint(weight_, direction_);
  }

  void primal_step(double tau, double mu) {
    previous_.swap(now_.x);
    now_.x = previous_ - tau * (direction_ + mu * (previous_ - now_.z));
    form_.project(now_.x);
  }

  void primal_and_smoothing_step(const Parameters& p) {
    primal_step(p.tau, p.mu);
    now_.z += p.beta * (previous_ - now_.z);
  }

  void smoothing_step_from_new_x(double beta) { now_.z += beta * (now_.x - now_.z); }

 private:
  template <class Draw>
  void mean_gradient(Index batch, Draw&& draw, Vector& out) {
    samples_.mean(batch, draw, out, [&](std::span<const Sample> samples, VectorRef gradient) {
      form_.batch_gradient(now_.x, samples, gradient, point_);
    });
  }

  const StandardForm& form_;
  Iterate now_;
  Vector residual_, weight_, scratch_;
  Vector direction_;  // G
  Vector previous_;   // x before the last primal step
  Vector point_;
  DrawnBatch samples_;
};

}  // namespace bridle
