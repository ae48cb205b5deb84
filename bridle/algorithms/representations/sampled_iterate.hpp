// The iterate for rows known through draws (Algorithms 2 and 4), x and z as vectors. A step costs the
// variables and the rows drawn, however many rows there are.
#pragma once

#include "bridle/algorithms/concepts.hpp"
#include "bridle/algorithms/representations/drawn_batch.hpp"
#include "bridle/algorithms/representations/sampled_rows.hpp"

namespace bridle {

// Rows looked at in one draw when the rows are deterministic and an algorithm samples them: the square root
// of their number, up to a cost that a gradient has too.
inline Index rows_per_draw(Index rows) {
  return std::min(rows, std::clamp<Index>(static_cast<Index>(std::sqrt(static_cast<double>(rows))), 16, 48));
}

// The rows of the standard form as draws: the problem's stochastic block (scaled), with its deterministic
// rows in every draw; or, when all rows are deterministic, a sample of them.
AnyStochasticRows standard_rows(const StandardForm& form, Index rows_per_draw);

class SampledIterate : public SampledRows<SampledIterate> {
 public:
  SampledIterate(const StandardForm& form, AnyStochasticRows rows, Iterate start, bool literal_draws);

  template <class Draw>
  void sample_gradient(Index batch, Draw&& draw) {
    samples_.mean(batch, draw, variables(direction_), [&](std::span<const Sample> samples, VectorRef out) {
      form_.variable_batch_gradient(variables(now_.x), samples, out, point_);
    });
  }
  void primal_and_smoothing_step(const Parameters& p);

  // Algorithm 4
  template <class Draw>
  void start_estimates(Index batch, Draw&& draw, double rho, const std::vector<RowTriple>& zetas);
  void estimated_dual_step(double eta, double dual_bound);
  void update_pull_estimate(double alpha, double rho, double rho_before, Sample zeta1, Sample zeta2);
  void use_estimates();
  template <class Draw>
  void update_estimates(double alpha, Index batch, Draw&& draw, Sample zeta);
  // Rivals
  void outer_dual_step(double eta, double share, const std::vector<RowTriple>& zetas);
  void reset_multipliers_from(double bound);

 private:
  friend SampledRows<SampledIterate>;
  double drawn_activity(const RowSample& sample, const RowSample::Row& row) const;
  void push(const RowSample& sample, const RowSample::Row& row, double factor);
  void push_carried() { variables(direction_) += dual_pull_; }
  void carry(const RowSample& sample, const RowSample::Row& row, double change);
  void forget_carried() { dual_pull_.setZero(); }
  void write_variables(Iterate&) const {}  // they are in the state
  void settle_variables(Iterate&) { sum_up_multipliers(); }
  void read_variables();

  Eigen::VectorBlock<Vector> variables(Vector& v) const { return v.head(form_.variables()); }
  void sum_up_multipliers();
  // The same at another point, with the slack that is there
  double residual_at(const Vector& x, const RowSample& sample, const RowSample::Row& row) const;
  void add_row(const RowSample& sample, const RowSample::Row& row, double factor, Vector& out) const;
  // out += A_zeta1'(y + rho (A_zeta2 x - b_zeta2)) at the given point
  void add_pull(const Vector& x, const Vector& y, double rho, Sample zeta1, Sample zeta2, Vector& out);
  void set_residual(const Vector& x, Sample zeta, Vector& out);

  DrawnBatch samples_;
  Vector direction_, one_gradient_, point_, previous_;
  Vector dual_pull_;  // A'y on the variables, carried exactly when the rows themselves are known
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
  now_.previous_y = now_.y;
}

template <class Draw>
void SampledIterate::update_estimates(double alpha, Index batch, Draw&& draw, Sample zeta) {
  auto estimate = now_.estimate.head(form_.variables());
  estimate *= 1 - alpha;
  samples_.for_each_piece(batch, draw, [&](std::span<const Sample> samples, double share) {
    form_.variable_batch_gradient(variables(now_.x), samples, variables(one_gradient_), point_);
    estimate += share * variables(one_gradient_);
    form_.variable_batch_gradient(variables(now_.previous_x), samples, variables(one_gradient_), point_);
    estimate -= share * (1 - alpha) * variables(one_gradient_);
  });
  now_.residual_estimate *= 1 - alpha;
  set_residual(now_.x, zeta, row_scratch_);
  now_.residual_estimate += row_scratch_;
  set_residual(now_.previous_x, zeta, row_scratch_);
  now_.residual_estimate -= (1 - alpha) * row_scratch_;
}

}  // namespace bridle
