// What the rows add to u and v of the lazy iterate: A'e_u and A'e_v, kept as the m coefficients e, and the
// products A u and A v, which a step changes by A a_i (kept for every sample) and A A' w.
//
// Variables in classes have coefficients and products class by class: A_c'e_u,c, with m numbers for each
// class c.
#pragma once

#include <memory>

#include "bridle/algorithms/representations/modes.hpp"
#include "bridle/algorithms/representations/packed_samples.hpp"
#include "bridle/core/lane_vector.hpp"

namespace bridle {

class LazyRows {
 public:
  LazyRows(std::shared_ptr<const SparseRows> matrix, const ModeClasses& classes);

  // Starts anew from e = 0, with x and z of the variables; activity <- A x, as after every move.
  void start(ConstVectorRef x, ConstVectorRef z, double* activity);
  // The step to come has slope a_i in its direction.
  void add_sample(double slope, const PackedSamples::RowShares& of_sample) {
    add(slope, of_sample, from_samples_);
  }
  // u <- (1 - tau lambda_u) u - tau (sum of slope a_i + A'w), v likewise; activity <- A x
  void move(double tau, const LaneVector& weight, double* activity) {
    if (matrix_->rows() == 1 && classes_.count() == 1)
      move_one(tau, weight[0], *activity);
    else
      move_all(tau, weight, activity);
  }

  // The share of the rows in a_i'x
  double product(const PackedSamples::RowShares& of_sample) const { return product(of_sample, x_pull_); }
  // x and z <- their shares in A'e
  void shares(VectorRef x, VectorRef z) const;

  // For estimates, and x of a step before: m numbers for each class.
  LaneVector by_class(ConstVectorRef v) const;  // A_c v of every class
  LaneVector& from_samples() { return from_samples_; }
  const LaneVector& x_pull() const { return x_pull_; }  // as x sees them: x's share in A'e
  double product(const PackedSamples::RowShares& of_sample, const LaneVector& pull) const;
  void add(double slope, const PackedSamples::RowShares& of_sample, LaneVector& to) const;

 private:
  void move_all(double tau, const LaneVector& weight, double* activity);
  // One row and one class, which most people have: without vectors.
  [[gnu::always_inline]] void move_one(double tau, double weight, double& activity) {
    const Modes& modes = classes_.modes[0];
    const double u_kept = 1 - tau * modes.u_rate, v_kept = 1 - tau * modes.v_rate;
    const double moved = tau * (from_samples_[0] + weight * gram_[0]), pulled = tau * weight;
    from_samples_[0] = 0;
    const double u = u_kept * u_rows_[0] - moved, v = v_kept * v_rows_[0] - moved;
    const double u_pull = u_kept * u_pull_[0] - pulled, v_pull = v_kept * v_pull_[0] - pulled;
    u_rows_[0] = u, v_rows_[0] = v, u_pull_[0] = u_pull, v_pull_[0] = v_pull;
    activity = modes.x_of_u * u + modes.x_of_v * v;
    x_pull_[0] = modes.x_of_u * u_pull + modes.x_of_v * v_pull;
  }

  // Where the number of a row and a class is: classes of a row side by side, in whole lanes.
  Index place(Index row, Index of_class) const { return row * stride_ + of_class; }

  std::shared_ptr<const SparseRows> matrix_;
  ModeClasses classes_;
  Index stride_;
  LaneVector u_rate_, v_rate_, x_of_u_, x_of_v_;  // of every number
  LaneVector gram_;                               // A_c A_c', column by column
  LaneVector u_pull_, v_pull_, x_pull_;           // e_u, e_v, and x's share x_of_u e_u + x_of_v e_v
  LaneVector u_rows_, v_rows_;                    // A u, A v (without slacks)
  LaneVector from_samples_;                       // A times the samples' part of the direction
};

}  // namespace bridle
