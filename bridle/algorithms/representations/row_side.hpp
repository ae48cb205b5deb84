// Multipliers, slacks and residuals, a vector register at a time: what the iterates for linear models do for
// the constraints in a step.
#pragma once

#include <algorithm>
#include <vector>

#include "bridle/algorithms/iterate.hpp"
#include "bridle/core/lane_vector.hpp"
#include "bridle/params/parameters.hpp"
#include "bridle/scaling/standard_form.hpp"

namespace bridle {

class RowSide {
 public:
  explicit RowSide(const StandardForm& form);
  // Some of the rows alone, ascending and few, with a metric of their own.
  RowSide(const StandardForm& form, const std::vector<Index>& rows, const Matrix& metric);

  // y and the slacks, from and to the state.
  void read_in(const Iterate& state);
  void write_out(Iterate& state) const;

  // A x without the slacks, which the iterate keeps up to date; in whole lanes.
  double* activity() { return activity_.data(); }
  // y <- y + eta (A x - b)
  void dual_step(double eta) {
    if (y_.size() != 1) return dual_steps(eta);
    residual_[0] = metric_[0] * (activity_[0] - right_[0] - coefficient_[0] * slack_[0]);
    y_[0] += eta * residual_[0];
  }
  // w = y + rho (A x - b)
  void set_weight(double rho) {
    if (y_.size() != 1) return set_weights(rho);
    weight_[0] = y_[0] + rho * residual_[0];
  }
  const LaneVector& weight() const { return weight_; }
  const LaneVector& residual() const { return residual_; }  // q = M (A x - b) of the last dual step
  // s <- proj(s - tau (G + mu (s - z)));  z <- z + beta (s_old - z)
  void move_slacks(const Parameters& p) {
    if (y_.size() != 1) return move_all_slacks(p);
    const double apart = slack_[0] - anchor_[0];
    const double moved = slack_[0] - p.tau * (p.mu * apart - coefficient_[0] * weight_[0]);
    slack_[0] = std::min(std::max(moved, lower_[0]), upper_[0]);
    anchor_[0] += p.beta * apart;
  }

 private:
  // The same for other numbers of rows than one, which most people have.
  void dual_steps(double eta);
  void set_weights(double rho);
  void move_all_slacks(const Parameters& p);

  struct Slack {
    Index place, of;  // its row's place here, and its own in the state
  };

  const StandardForm* form_;
  std::vector<Index> rows_;
  std::vector<Slack> slacks_;
  LaneVector metric_;  // M, its columns in whole halves of lanes, where the rows are few
  LaneVector activity_, right_, raw_, residual_, y_, weight_;
  // Every row has a slack here; those of equalities are 0 and stay so.
  LaneVector coefficient_, lower_, upper_, slack_, anchor_;
  Vector scratch_;
};

}  // namespace bridle
