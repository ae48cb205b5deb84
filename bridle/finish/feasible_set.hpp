// The feasible set { x in X, l <= A x <= u } as one polyhedron, and exact projections onto it in a diagonal
// metric. Variables that are in no row are clamped to their bounds and cost nothing more.
#pragma once

#include <optional>
#include <vector>

#include "bridle/problem/problem.hpp"

namespace bridle {

class FeasibleSet {
 public:
  // Nothing when X has no description by few linear rows (an l1 ball), or the system is too large to
  // factorise.
  static std::optional<FeasibleSet> of(const Problem& problem);
  static std::optional<FeasibleSet> of(const LinearDescription& set, const SparseRows& rows,
                                       const Vector& lower, const Vector& upper,
                                       double most_entries = largest_system);

  struct Projection {
    Vector x;            // bounds that are touched are touched exactly
    Vector multipliers;  // of the problem's rows: D (x - centre) + A'y in the negative normal cone of X at x
    bool exact = false;  // solved on its face, to rounding
  };
  // Where the entries of the rows are too uneven for a projection, it is taken once more in units that even
  // them out; a step from a point of the set may also be left as it is. Neither way gets everywhere that the
  // other does.
  enum class Step { plain, in_even_units };
  // argmin of (x - centre)' D (x - centre) / 2 over the set. `near`, a point of the set, sets the scale of
  // the moves: this is a step from there.
  Projection project(const Vector& centre, const Vector& metric, const Vector* near = nullptr,
                     Step step = Step::in_even_units) const;

  // Where the rows are broken least (in the 2-norm, rows of unit length), and how much each row of the
  // problem, then of X, is broken there. If the set is empty, this y proves it: (A'y)'x > y's for all x in X,
  // s in [l, u].
  struct LeastViolation {
    Vector x, y;
  };
  LeastViolation least_violation() const;

  static constexpr double largest_system = 2e6;  // entries of the normal equations, at most

 private:
  void free_unbounded_columns(Vector& y) const;
  FeasibleSet() = default;
  // All variables: those in no row from x, kept within their bounds.
  Vector with_untied(Vector x, const Vector& tied) const;
  // From here on, only the variables that are in rows.
  Projection project_tied(const Vector& centre, const Vector& metric, const Vector* near, Step step) const;
  Projection attempts(const Vector& centre, const Vector& metric, const Vector* units,
                      const Vector* near) const;
  // In variables of these units, or of the metric's own.
  Projection attempt(const Vector& centre, const Vector& metric, const Vector* units,
                     const Vector* near) const;
  double violation(const Vector& x) const;  // of rows of unit length
  // The largest over the rows, each against what it adds up or its right-hand side.
  double relative_violation(const Vector& x) const;

  Bounds bounds_;            // of all variables
  std::vector<Index> tied_;  // variables that are in rows
  Index variables_ = 0, problem_rows_ = 0;
  SparseColumns matrix_;  // rows of unit length over (x, slacks)
  Vector right_, row_length_;
  Vector lower_, upper_;  // of (x, slacks)
  Vector even_units_;     // of x, in which the entries of the rows are alike
};

}  // namespace bridle
