// Conditions 3 and 4 at a point: which multipliers are kept, how far from stationary that leaves it, and the
// duality gap.
#pragma once

#include "bridle/certify/certificate.hpp"
#include "bridle/certify/scales.hpp"

namespace bridle {

class StationarityMeasure {
 public:
  // `left`: what rows and X leave of every variable.
  StationarityMeasure(const Problem& problem, const SetShape& shape, const Bounds& left,
                      const PointScales& scales, const Vector& x, const Activity& activity,
                      const WideVector& gradient, bool convex);

  // Fills stationarity, complementarity, gap and multipliers of `out`. Every multiplier is either kept (its
  // gap is charged) or dropped (set to 0); several choices are tried, and the one with the smallest error is
  // taken. Among those that are kept the same is tried again, until that lowers nothing.
  void fill(const Vector& y, Certificate& out) const;

 private:
  struct Share {  // of one variable or block
    double relative, absolute, over_multipliers;
    double slack_worth = 0;          // sum of |n_j (p_j - x_j)|
    long double residual_worth = 0;  // sum of q_j x_j, in which much may cancel
  };
  // The bound that a row's multiplier speaks of, the way from the row to it (negative: broken), and the gap.
  double bound(Index i, double y) const;
  double way(Index i, double y) const;
  double gap(Index i, double y) const;
  Vector charges(const Vector& y, double worth, bool absolute) const;
  double choose(const Vector& y, Certificate& out) const;  // once; returns the error
  void evaluate(const Vector& y, Certificate& out) const;
  Share single(Index j, long double exact_push, double multipliers, double worth) const;
  Share block(const std::vector<Index>& block, const Vector& push, double multipliers, double worth) const;
  double free_fall() const;
  double move(const std::vector<Index>& block, const Vector& push, double length, Vector& target) const;

  const Problem& problem_;
  const SetShape& shape_;
  const Bounds& left_;
  const PointScales& scales_;
  const Vector& x_;
  const Activity& activity_;
  const WideVector& gradient_;
  bool convex_;
  double fall_ = 0;  // of f on one step that nothing stops
};

}  // namespace bridle
