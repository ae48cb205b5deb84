// The iterate for rows known through draws (Algorithms 2 and 4). A step costs the variables and the rows
// drawn, however many rows there are: slacks of rows that are not drawn move by a closed formula, applied
// when they are next touched.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "bridle/algorithms/iterate.hpp"
#include "bridle/problem/stochastic_rows.hpp"

namespace bridle {

// The rows of the standard form as draws: the problem's stochastic block (scaled), with its deterministic
// rows in every draw; or, when all rows are deterministic, a sample of them.
AnyStochasticRows standard_rows(const StandardForm& form, Index rows_per_draw);

// Three independent draws of the rows: for the dual step, and for the two factors of the penalty.
struct RowTriple {
  Sample zeta, zeta1, zeta2;
};

class SampledIterate {
 public:
  SampledIterate(const StandardForm& form, AnyStochasticRows rows, Iterate start, bool literal_draws,
                 const BatchShare* share = nullptr);

  // Brings all slacks up to date first.
  const Iterate& state() const;
  std::uint64_t& draws() { return now_.draws; }

  // y <- y + eta (A_zeta x - b_zeta); the safeguard sets y to 0 when |y| >= bound.
  void dual_step(double eta, double dual_bound, Sample zeta);
  // direction <- mean of grad f(x, xi) over a batch
  template <class Draw>
  void sample_gradient(Index batch, Draw&& draw) {
    if (share_) {
      sum_over_shared_batch(*share_, batch, draw, variables(direction_), [&](Sample sample) {
        form_.variable_gradient(variables(now_.x), sample, variables(one_gradient_), point_);
        variables(direction_) += variables(one_gradient_);
      });
      variables(direction_) /= static_cast<double>(batch);
      return;
    }
    form_.variable_gradient(variables(now_.x), draw(), variables(direction_), point_);
    for (Index k = 1; k < batch; ++k) {
      form_.variable_gradient(variables(now_.x), draw(), variables(one_gradient_), point_);
      variables(direction_) += variables(one_gradient_);
    }
    if (batch > 1) variables(direction_) /= static_cast<double>(batch);
  }
  // direction += A_zeta1'(y + rho (A_zeta2 x - b_zeta2))
  void add_constraint_pull(double rho, Sample zeta1, Sample zeta2);
  // x <- proj_X(x - tau (direction + mu (x - z)));  z <- z + beta (x_old - z)
  void primal_step(const Parameters& p);

  // The steps of Algorithm 4: every quantity through an estimate that is corrected by same-sample
  // differences.
  template <class Draw>
  void start_estimates(Index batch, Draw&& draw, double rho, const std::vector<RowTriple>& zetas);
  void estimated_dual_step(double eta, double dual_bound);
  void update_pull_estimate(double alpha, double rho, Sample zeta1, Sample zeta2);
  void use_estimates();
  template <class Draw>
  void update_estimates(double alpha, Index batch, Draw&& draw, Sample zeta);

 private:
  Eigen::VectorBlock<Vector> variables(Vector& v) const { return v.head(form_.variables()); }
  void safeguard(double dual_bound);
  void sum_up_multipliers();
  void ready_slacks(const RowSample& sample);
  void touch(Index slack);
  void touch_all();
  // a_i'x - w s - b_i of a drawn row, times its weight
  double drawn_residual(const RowSample& sample, const RowSample::Row& row, const Vector& x) const;
  void add_row(const RowSample& sample, const RowSample::Row& row, double factor, Vector& out) const;
  // out += A_zeta1'(y + rho (A_zeta2 x - b_zeta2)) at the given point; `touched` collects the slacks that are
  // moved
  void add_pull(const Vector& x, const Vector& y, double rho, Sample zeta1, Sample zeta2, Vector& out);
  void set_residual(const Vector& x, Sample zeta, Vector& out);

  const StandardForm& form_;
  const BatchShare* share_;
  AnyStochasticRows rows_;
  Iterate now_;
  double metric_;   // M = metric I, the only one that draws can be seen through
  bool inclusion_;  // one draw gives the whole pull
  RowSample sample_, second_;
  std::vector<Index> slack_of_row_;  // or -1
  Vector direction_, one_gradient_, point_, previous_;
  Vector row_scratch_;
  double y_squared_ = 0;
  Vector dual_pull_;  // A'y on the variables, carried exactly when the rows themselves are known

  // Lazy slacks: between touches kappa s + z stays and s - z shrinks by the factors whose logarithms are
  // summed here.
  double log_shrink_ = 0, kappa_ = 1;
  Vector touched_at_;
  std::vector<Index> moved_;  // slacks with a direction in this step
};

// --- members that take a callable ---

template <class Draw>
void SampledIterate::start_estimates(Index batch, Draw&& draw, double rho,
                                     const std::vector<RowTriple>& zetas) {
  sample_gradient(batch, draw);
  now_.estimate = direction_;
  now_.estimate.tail(now_.estimate.size() - form_.variables()).setZero();
  now_.residual_estimate = Vector::Zero(form_.rows());
  now_.pull_estimate = Vector::Zero(form_.dimension());
  for (const auto& draws : zetas) {
    set_residual(now_.x, draws.zeta, row_scratch_);
    now_.residual_estimate += row_scratch_;
    add_pull(now_.x, now_.y, rho, draws.zeta1, draws.zeta2, now_.pull_estimate);
  }
  now_.residual_estimate /= static_cast<double>(zetas.size());
  now_.pull_estimate /= static_cast<double>(zetas.size());
  now_.previous_x = now_.x;
}

template <class Draw>
void SampledIterate::update_estimates(double alpha, Index batch, Draw&& draw, Sample zeta) {
  auto estimate = now_.estimate.head(form_.variables());
  estimate *= 1 - alpha;
  const double share = 1 / static_cast<double>(batch);
  const auto add_change = [&](Sample sample, double weight, auto&& out) {
    form_.variable_gradient(variables(now_.x), sample, variables(one_gradient_), point_);
    out += weight * variables(one_gradient_);
    form_.variable_gradient(variables(now_.previous_x), sample, variables(one_gradient_), point_);
    out -= (1 - alpha) * weight * variables(one_gradient_);
  };
  if (share_) {
    sum_over_shared_batch(*share_, batch, draw, variables(direction_),
                          [&](Sample sample) { add_change(sample, share, variables(direction_)); });
    estimate += variables(direction_);
  } else {
    for (Index k = 0; k < batch; ++k) add_change(draw(), share, estimate);
  }
  now_.residual_estimate *= 1 - alpha;
  set_residual(now_.x, zeta, row_scratch_);
  now_.residual_estimate += row_scratch_;
  set_residual(now_.previous_x, zeta, row_scratch_);
  now_.residual_estimate -= (1 - alpha) * row_scratch_;
}

}  // namespace bridle
