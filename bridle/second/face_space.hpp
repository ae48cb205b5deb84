// The directions that stay on a face: zero for variables at their bounds, and along the held rows.
#pragma once

#include <memory>

#include <Eigen/SparseCholesky>

#include "bridle/second/region.hpp"

namespace bridle::second {

class FaceSpace {
 public:
  // In the metric M, whose diagonal is `metric`. Rows may depend on one another. Variables at their bounds
  // count with this share of their weight, if any.
  FaceSpace(const Region& region, const Face& face, const Vector& metric, double held_share = 0);

  // P M^-1 v, P the M-orthogonal projection onto the directions of the face: what a preconditioned step is.
  Vector step(const Vector& v) const;
  // v + A'y on the free variables, y those multipliers, and 0 on the others: what is left of a slope along
  // the face. Taken first, it spares `step` the cancellation of all that is across.
  Vector along(const Vector& v) const;
  // Multipliers of the region's rows that make v + A'y smallest on the face's variables (in M^-1).
  Vector multipliers(const Vector& v) const;
  // (A M^-1 A')^-1 of figures for the held rows, over the free variables; 0 for the other rows.
  Vector dual_step(const Vector& off) const;
  const Vector& weight() const { return weight_; }  // M^-1, 0 for variables at their bounds

 private:
  Vector solve(const Vector& right) const;

  Index all_rows_;
  Vector weight_;
  std::vector<Index> held_;
  SparseRows rows_;  // the held ones, over the free variables
  std::shared_ptr<Eigen::SimplicialLDLT<SparseColumns>> factor_;
};

}  // namespace bridle::second
