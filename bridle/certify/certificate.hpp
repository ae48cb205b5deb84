// What the judge found, in the user's units and relative; docs/certificate.md defines every figure.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "bridle/core/types.hpp"

namespace bridle {

// One figure at its worst place.
struct Figure {
  double absolute = infinity;  // the largest, in the user's units
  double relative = infinity;  // the largest over its own scale
  std::string where = {};      // the row or variable with the largest relative one; empty: all are zero

  // Takes one more place into account; what is not a number is larger than any.
  void raise(double more_absolute, double more_relative, const std::string& place) {
    if (!(more_absolute <= absolute)) absolute = more_absolute;
    if (!(more_relative <= relative)) {
      relative = more_relative;
      where = place;
    }
  }

  template <class Archive>
  void transfer(Archive& archive) {
    archive(absolute, relative, where);
  }
};

// Stationarity of (x, y) means: A x in [l, u], x in X, 0 in grad f(x) + A'y + N_X(x), and y in the normal
// cone of [l, u] at A x (y_i > 0 only where the upper bound is touched, y_i < 0 only at the lower one).
struct Certificate {
  bool absolute = false;  // which of the two decides

  double objective = infinity;     // f(x); NaN when the objective has no value function
  double objective_halfwidth = 0;  // 95% confidence, when f is known through samples only
  bool sound = false;              // all that was evaluated is finite

  Figure feasibility;                               // dist(a_i'x, [l_i, u_i])
  Figure set_distance;                              // x from X
  Figure stationarity;                              // grad f + A'y + N_X(x) from 0
  Figure complementarity;                           // gaps under multipliers that were kept
  bool convex = false;                              // known to be; then
  Figure gap = {0, 0};                              // of duality counts too
  double stationarity_over_multipliers = infinity;  // for comparison; never counts

  Figure feasibility_halfwidth = {0, 0};   // 95% confidence, when E[A], E[b] are known through samples only
  Figure stationarity_halfwidth = {0, 0};  // 95% confidence, when grad f is known through samples only

  Vector multipliers;                 // the y that was judged; those that were dropped are 0
  bool multipliers_improved = false;  // true when the judge replaced the y it was given
  bool exact = true;                  // false when grad f came from a batch of samples
  Index gradients = 0;                // sample gradients the judge evaluated

  template <class Archive>
  void transfer(Archive& archive) {
    archive(absolute, objective, objective_halfwidth, sound, feasibility, set_distance, stationarity,
            complementarity, convex, gap, stationarity_over_multipliers, feasibility_halfwidth,
            stationarity_halfwidth, multipliers, multipliers_improved, exact, gradients);
  }

  double of(const Figure& figure) const { return absolute ? figure.absolute : figure.relative; }

  // The one number a tolerance is compared with: the largest of the relative (or absolute) figures, where a
  // figure known through samples counts with the upper end of its confidence interval. Infinite as soon as
  // anything is not finite.
  double error() const {
    return largest_of(of(feasibility) + of(feasibility_halfwidth),
                      of(stationarity) + of(stationarity_halfwidth));
  }
  // The same without the intervals, which tell how well a batch of samples can see, not how good a point is:
  // what points are compared by that were seen through the same batch.
  double estimate() const { return largest_of(of(feasibility), of(stationarity)); }
  bool holds(double tolerance) const { return error() <= tolerance; }
  // What the judge's batch of samples leaves open: no point has a smaller error.
  double halfwidth() const { return std::max(of(feasibility_halfwidth), of(stationarity_halfwidth)); }

 private:
  double largest_of(double of_rows, double of_gradient) const {
    double largest = sound ? 0 : infinity;
    for (const double figure : {of_rows, of(set_distance), of_gradient, of(complementarity), of(gap)})
      if (!(figure <= largest)) largest = std::isfinite(figure) ? figure : infinity;
    return largest;
  }
};

}  // namespace bridle
