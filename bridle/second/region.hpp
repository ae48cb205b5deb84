// Where the phase moves: { lower <= x <= upper, row_lower <= A x <= row_upper }, the rows of the problem
// followed by those that describe X.
#pragma once

#include <optional>
#include <vector>

#include "bridle/problem/problem.hpp"

namespace bridle::second {

// Which bound a variable or a row is held at.
enum Side : signed char { at_lower = -1, inside = 0, at_upper = 1 };

struct Face {
  std::vector<Side> variables, rows;
};

struct Region {
  Vector lower, upper;
  SparseRows rows;
  Vector row_lower, row_upper;
  Index problem_rows = 0;
  // What counts as small in each variable: a row over variables that are 0 has a size all the same. Empty: 0.
  Vector floor = {};

  // Nothing when X has no linear description.
  static std::optional<Region> of(const Problem& problem);
  // The problem's rows with those that describe X, or the part of X in which the phase moves.
  static Region of(const Problem& problem, const LinearDescription& set);

  Index dimension() const { return lower.size(); }
  Index count() const { return rows.rows(); }
  bool fixed(Index j) const { return lower[j] == upper[j]; }
  bool equality(Index i) const { return row_lower[i] == row_upper[i]; }

  // Bounds of x and of A x that are touched to rounding.
  Face touched_by(const Vector& x) const;
  // The largest violation: of rows, relative to their bounds (or to what they add up where a bound is 0).
  double violation(const Vector& x) const;
  // Puts right what rounding has broken: bounds exactly, rows to rounding, by the shortest move in the metric
  // 1 / weight.
  void restore(Vector& x, const Vector& weight) const;

 private:
  struct Target {
    Index row;
    double by;  // what must be added to a_i'x
  };
  // Of broken rows, and of touched ones to hold; none when no row is broken.
  std::vector<Target> targets(const Vector& x, bool hold) const;
};

}  // namespace bridle::second
