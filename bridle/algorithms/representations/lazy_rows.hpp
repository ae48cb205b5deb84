// What the rows add to u and v of the lazy iterate: A'e_u and A'e_v, kept as the m coefficients e, and the
// products A u and A v, which a step changes by A a_i (kept for every sample) and A A' w.
#pragma once

#include "bridle/algorithms/representations/modes.hpp"
#include "bridle/core/small_matrix.hpp"

namespace bridle {

// The share of the rows in a_i'x: A a_i times x's pull
double row_product(const double* sample_rows, const LaneVector& x_pull);

class LazyRows {
 public:
  LazyRows(const SparseRows& matrix, const Modes& modes);

  // Starts anew from e = 0, with A x and A z of the variables.
  void start(const Vector& x_rows, const Vector& z_rows, double* activity);
  // The step to come has slope a_i in its direction.
  void add_sample(double slope, const double* sample_rows);
  // u <- (1 - tau lambda_u) u - tau (sum of slope a_i + A'w), v likewise; activity <- A x
  void move(double tau, const LaneVector& weight, double* activity);

  const LaneVector& x_pull() const { return x_pull_; }  // as x sees them: x's share in A'e
  // x and z <- their shares in A'e
  void shares(const SparseRows& matrix, VectorRef x, VectorRef z) const;

 private:
  Modes modes_;
  SmallMatrix gram_;                     // A A'
  LaneVector u_pull_, v_pull_, x_pull_;  // e_u, e_v, and x's share x_of_u e_u + x_of_v e_v
  LaneVector u_rows_, v_rows_;           // A u, A v (without slacks)
  LaneVector from_samples_, step_;       // A times the direction: the samples' part, and all of it
};

}  // namespace bridle
