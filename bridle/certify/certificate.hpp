// What the judge found, in the user's units and relative.
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "bridle/core/types.hpp"

namespace bridle {

// Stationarity of (x, y) means: A x in [l, u], x in X, 0 in grad f(x) + A'y + N_X(x), and y in the normal
// cone of [l, u] at A x (y_i > 0 only where the upper bound is touched, y_i < 0 only at the lower one).
//
// A multiplier y_i != 0 on a row with a gap to its bound breaks the last condition. It can be put right by
// moving the row's slack over the gap (charged to `complementarity`) or by dropping y_i (charged to
// `stationarity`); the judge charges each row so that the larger of the two relative figures is smallest.
struct Certificate {
  double objective = infinity;     // f(x); NaN when the objective has no value function
  double objective_halfwidth = 0;  // 95% confidence, when f is known through samples only

  double feasibility = infinity;      // |dist(A x, [l, u])|, Euclidean
  double feasibility_halfwidth = 0;   // 95% confidence, when E[A], E[b] are known through samples only
  double max_violation = infinity;    // its largest entry ...
  std::string worst_row;              // ... and where it is
  double set_distance = infinity;     // dist(x, X)
  double stationarity = infinity;     // dist(0, grad f + A'y + N_X(x)), with dropped multipliers
  double stationarity_halfwidth = 0;  // 95% confidence, when grad f is known through samples only
  double complementarity = infinity;  // Euclidean norm of the gaps under multipliers that were kept

  double feasibility_scale = 1;   // 1 + max(|A x|, |bounds that are touched or broken|)
  double stationarity_scale = 1;  // 1 + max(|grad f|, |A'y|)
  double point_scale = 1;         // 1 + |x|

  Vector multipliers;                 // the y that was judged
  bool multipliers_improved = false;  // true when the judge replaced the y it was given
  bool exact = true;                  // false when grad f came from a batch of samples
  Index gradients = 0;                // sample gradients the judge evaluated

  template <class Archive>
  void transfer(Archive& archive) {
    archive(objective, objective_halfwidth, feasibility, feasibility_halfwidth, max_violation, worst_row,
            set_distance, stationarity, stationarity_halfwidth, complementarity, feasibility_scale,
            stationarity_scale, point_scale, multipliers, multipliers_improved, exact, gradients);
  }

  // The one number a tolerance is compared with: the largest of the relative (or absolute) figures, where a
  // figure known through samples counts with the upper end of its confidence interval.
  double error(bool absolute = false) const {
    const double feasibility_unit = absolute ? 1 : feasibility_scale;
    const double stationarity_unit = absolute ? 1 : stationarity_scale;
    return std::max({(feasibility + feasibility_halfwidth) / feasibility_unit,
                     complementarity / feasibility_unit, set_distance / (absolute ? 1 : point_scale),
                     (stationarity + stationarity_halfwidth) / stationarity_unit});
  }
  bool holds(double tolerance, bool absolute = false) const { return error(absolute) <= tolerance; }
};

}  // namespace bridle
