// The quadratic program of a step where rows may stay broken at a price:
//   minimise  g'd + d'Bd/2 + sum_i sigma_i (p_i + q_i)
//   subject to  l <= a + J d + p - q <= u,  p, q >= 0,  bounds of x + d,  |d_j| <= radius unit_j.
// It always has a solution.
#pragma once

#include "bridle/second/dense_qp.hpp"
#include "bridle/second/smooth_model.hpp"

namespace bridle::second {

struct ElasticStep {
  Vector d;
  Vector multipliers;  // of all rows, within +- sigma
  Vector broken;       // what the linear rows lack after the step, as SmoothModel::broken
};

class ElasticQp {
 public:
  // `unit`: the size of each variable.
  ElasticQp(const SmoothModel& model, Vector unit) : model_(model), unit_(std::move(unit)) {}

  // B is positive definite. `activity` is that of the rows, or what stands for it.
  bool solve(const SmoothLocal& at, const Vector& activity, const Vector& gradient, const Matrix& curvature,
             const Vector& sigma, double radius, Work& work, ElasticStep& out);

  const Vector& unit() const { return unit_; }

 private:
  const SmoothModel& model_;
  Vector unit_;
  Face face_;
};

}  // namespace bridle::second
