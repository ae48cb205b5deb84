// What the iterates for rows known through draws share: multipliers, the dual safeguard and the slacks.
// Slacks of rows that are not drawn move by a closed formula, applied when they are next touched: a step
// costs the rows drawn, however many there are.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "bridle/algorithms/iterate.hpp"
#include "bridle/core/error.hpp"
#include "bridle/params/parameters.hpp"
#include "bridle/problem/stochastic_rows.hpp"
#include "bridle/scaling/standard_form.hpp"

namespace bridle {

// It (the iterate itself) knows the variables: `drawn_activity` is a'x - b of a drawn row, without its slack
// and weight, `push` adds to the direction, `push_carried` adds the carried A'y to it, `carry` changes that;
// `write_variables` writes x and z of the variables out, `settle_variables` does so and goes on from there,
// `read_variables` goes on from what is in the state.
template <class It>
class SampledRows {
 public:
  void write_to(Iterate& out) const {
    out = now_;
    for (Index k = 0; k < touched_at_.size(); ++k) {
      const auto [s, anchor] = slack_now(k);
      out.x[form_.variables() + k] = s;
      out.z[form_.variables() + k] = anchor;
    }
    static_cast<const It&>(*this).write_variables(out);
  }
  void settle(Iterate& out) {
    touch_all();
    out = now_;
    self().settle_variables(out);
  }
  void read_in(const Iterate& state) {
    now_ = state;
    forget_shrinking();
    self().read_variables();
  }
  std::uint64_t& draws() { return now_.draws; }

  void guarded_dual_step(double eta, double dual_bound, Sample zeta) {
    rows_.draw(zeta, sample_);
    for (const auto& row : sample_.rows) {
      if (const Index k = slack_of(row); k >= 0) touch(k);
      double& y = now_.y[row.row];
      y_squared_ -= y * y;
      const double change = eta * metric_ * row.weight * drawn_residual(sample_, row);
      y += change;
      y_squared_ += y * y;
      if (inclusion_) self().carry(sample_, row, change);
    }
    safeguard(dual_bound);
  }

  void add_constraint_pull(double rho, Sample zeta1, Sample zeta2) {
    moved_.clear();
    rows_.draw(zeta1, sample_);
    ready_slacks(sample_);
    if (!inclusion_) {
      rows_.draw(zeta2, second_);
      ready_slacks(second_);
      row_scratch_.setZero();
      for (const auto& row : second_.rows)
        row_scratch_[row.row] += metric_ * row.weight * drawn_residual(second_, row);
      for (const auto& row : sample_.rows) {
        const double factor = row.weight * (now_.y[row.row] + rho * row_scratch_[row.row]);
        self().push(sample_, row, factor);
        if (const Index k = slack_of(row); k >= 0)
          slack_direction_[k] -= factor * form_.slack_coefficient()[k];
      }
      return;
    }
    // The rows themselves are known and y changes on few of them: A'y is carried exactly, which is the mean
    // of the draws' A_zeta1'y without its variance. Slacks see their own multiplier only, when their row is
    // drawn.
    self().push_carried();
    for (const auto& row : sample_.rows) {
      const double penalty = row.weight * rho * metric_ * drawn_residual(sample_, row);
      self().push(sample_, row, penalty);
      if (const Index k = slack_of(row); k >= 0)
        slack_direction_[k] -= (row.weight * now_.y[row.row] + penalty) * form_.slack_coefficient()[k];
    }
  }

 protected:
  SampledRows(const StandardForm& form, AnyStochasticRows rows, Iterate start, bool literal_draws)
      : form_(form),
        rows_(std::move(rows)),
        now_(std::move(start)),
        metric_(metric_of(form)),
        inclusion_(rows_.samples_inclusion() && !literal_draws),
        slack_of_row_(static_cast<std::size_t>(form.rows()), -1),
        slack_direction_(Vector::Zero(static_cast<Index>(form.slack_rows().size()))),
        row_scratch_(form.rows()),
        y_squared_(now_.y.squaredNorm()),
        touched_at_(slack_direction_) {
    for (std::size_t k = 0; k < form.slack_rows().size(); ++k)
      slack_of_row_[static_cast<std::size_t>(form.slack_rows()[k])] = static_cast<Index>(k);
  }

  // q = M r needs all of r where M is not diagonal, and a draw has a part of it.
  static double metric_of(const StandardForm& form) {
    switch (form.metric().kind()) {
      case MetricKind::identity:
        return 1;
      case MetricKind::diagonal:
        return form.metric().diagonal_scale();
      case MetricKind::cholesky:
        break;
    }
    throw InputError("rows seen through draws cannot have the metric cholesky: take diagonal or identity");
  }

  It& self() { return static_cast<It&>(*this); }
  Index slack_of(const RowSample::Row& row) const { return slack_of_row_[static_cast<std::size_t>(row.row)]; }

  // a'x - w s - b of a drawn row, without its weight
  double drawn_residual(const RowSample& sample, const RowSample::Row& row) {
    double out = self().drawn_activity(sample, row);
    if (const Index k = slack_of(row); k >= 0)
      out -= form_.slack_coefficient()[k] * now_.x[form_.variables() + k];
    return out;
  }

  void safeguard(double dual_bound) {
    if (!(y_squared_ >= dual_bound * dual_bound)) return;
    now_.y.setZero();
    y_squared_ = 0;
    self().forget_carried();
    ++now_.resets;
  }

  // A slack and its smoothed point, brought up to date.
  std::pair<double, double> slack_now(Index slack) const {
    const double shrink = std::exp(log_shrink_ - touched_at_[slack]);
    const double s = now_.x[form_.variables() + slack], anchor = now_.z[form_.variables() + slack];
    if (shrink == 1) return {s, anchor};
    const double sum = kappa_ * s + anchor, difference = shrink * (s - anchor);
    return {(sum + difference) / (1 + kappa_), (sum - kappa_ * difference) / (1 + kappa_)};
  }

  void touch(Index slack) {
    const auto [s, anchor] = slack_now(slack);
    touched_at_[slack] = log_shrink_;
    now_.x[form_.variables() + slack] = s;
    now_.z[form_.variables() + slack] = anchor;
  }

  void touch_all() {
    for (Index k = 0; k < touched_at_.size(); ++k) touch(k);
    forget_shrinking();
  }

  void forget_shrinking() {
    log_shrink_ = 0;
    touched_at_.setZero();
    kappa_ = 0;  // the next step's
  }

  // Slacks of the drawn rows are brought up to date before their values are read, and get a direction of
  // their own.
  void ready_slacks(const RowSample& sample) {
    for (const auto& row : sample.rows)
      if (const Index k = slack_of(row); k >= 0) {
        touch(k);
        slack_direction_[k] = 0;
        moved_.push_back(k);
      }
  }

  // Every slack moves by -tau mu (s - z), those that were drawn by their direction too. Lazily: kappa =
  // beta/(tau mu).
  void move_slacks(const Parameters& p) {
    const double pull = p.tau * p.mu;
    if (const double kappa = pull > 0 ? p.beta / pull : 1; std::abs(kappa - kappa_) > 1e-12 * kappa) {
      touch_all();  // the closed formula holds for one kappa; steps that shrink together keep it, but for
                    // rounding
      kappa_ = kappa;
    }
    const double shrink = 1 - pull - p.beta;
    if (pull > 0 && shrink < smallest_shrink) {  // no closed formula: all of them step
      touch_all();
      kappa_ = p.beta / pull;
      moved_.resize(static_cast<std::size_t>(slack_direction_.size()));
      std::iota(moved_.begin(), moved_.end(), Index{0});
    }
    std::sort(moved_.begin(), moved_.end());
    moved_.erase(std::unique(moved_.begin(), moved_.end()), moved_.end());
    if (pull > 0) log_shrink_ += std::log(std::max(shrink, smallest_shrink));
    for (const Index k : moved_) {
      const Index j = form_.variables() + k;
      const double s = now_.x[j], anchor = now_.z[j];
      now_.x[j] = form_.project_slack(k, s - p.tau * (slack_direction_[k] + p.mu * (s - anchor)));
      now_.z[j] = anchor + p.beta * (s - anchor);
      touched_at_[k] = log_shrink_;
      slack_direction_[k] = 0;
    }
    moved_.clear();
  }

  static constexpr double smallest_shrink = 1e-3;

  const StandardForm& form_;
  AnyStochasticRows rows_;
  Iterate now_;     // x and z of the variables may be elsewhere, in another form
  double metric_;   // M = metric I, the only one that draws can be seen through
  bool inclusion_;  // one draw gives the whole pull
  RowSample sample_, second_;
  std::vector<Index> slack_of_row_;  // or -1
  Vector slack_direction_;
  Vector row_scratch_;
  double y_squared_ = 0;

  // Lazy slacks: between touches kappa s + z stays and s - z shrinks by the factors whose logarithms are
  // summed here.
  double log_shrink_ = 0, kappa_ = 0;
  Vector touched_at_;
  std::vector<Index> moved_;  // slacks with a direction in this step
};

}  // namespace bridle
