// What a user states:  minimise E f(x, xi)  subject to  l <= A x <= u,  lower <= c(x) <= upper,  x in X.
#pragma once

#include "bridle/problem/objective.hpp"
#include "bridle/problem/set.hpp"
#include "bridle/problem/smooth_rows.hpp"
#include "bridle/problem/stochastic_rows.hpp"

namespace bridle {

// Named, two-sided sparse rows; lower == upper makes an equality.
struct Rows {
  SparseRows matrix;
  Vector lower, upper;
  Names names;

  Index count() const { return matrix.rows(); }
  bool is_equality(Index i) const { return lower[i] == upper[i]; }
};

// A handle on data that is never changed: copies are cheap and share names, rows and start.
class Problem {
 public:
  explicit Problem(AnyObjective objective);

  // x in X; replaces the set given before.
  Problem& within(AnySet set);
  // l <= A x <= u, added to the rows given before. Names default to row1, row2, ...
  Problem& subject_to(const SparseRows& matrix, const Vector& lower, const Vector& upper, Names names = {});
  Problem& subject_to(const Matrix& matrix, const Vector& lower, const Vector& upper, Names names = {});
  // l <= E[A_zeta] x - E[b_zeta] <= u, known through draws; one such block. Where the mean is not known,
  // `rows` holds an estimate of it, and the judge makes its own.
  Problem& subject_to_expected(AnyStochasticRows stochastic, const Vector& lower, const Vector& upper,
                               Names names = {});
  // lower <= c(x) <= upper with c smooth, added to those given before; equal bounds make an equality. Names
  // default to the constraint's own, else smooth1, smooth2, ... Rows known through draws do not go with them.
  Problem& subject_to_smooth(AnySmoothConstraint constraint, const Vector& lower, const Vector& upper,
                             Names names = {});
  // Names of the variables; default: the objective's own names, else x1, x2, ...
  Problem& name_variables(Names names);
  // Where the run starts; default: the projection of 0 onto X.
  Problem& start_from(Vector x);

  Index dimension() const { return objective_.dimension(); }
  const AnyObjective& objective() const { return objective_; }
  const AnySet& set() const { return set_; }
  const Rows& rows() const { return *rows_; }
  const SmoothRows& smooth_rows() const { return *smooth_; }  // none: count() == 0
  bool has_smooth_rows() const { return smooth_->count() > 0; }
  // The linear rows, then the smooth ones: each has a multiplier.
  Index row_count() const { return rows().count() + smooth_->count(); }
  Names row_names() const;
  const Names& variable_names() const { return *variable_names_; }
  // The block of rows known through draws: rows().count() - stochastic_rows()->count() is where it begins.
  const std::optional<AnyStochasticRows>& stochastic_rows() const { return stochastic_; }
  const Vector& expected_right() const { return *expected_right_; }  // E[b] of that block, or its estimate
  Index first_stochastic_row() const { return stochastic_ ? stochastic_begin_ : rows().count(); }
  // The same problem with other figures for the rows, for the judge.
  Problem with_rows(const SparseRows& matrix, const Vector& lower, const Vector& upper) const;
  // The same problem with these rows in place of its own, the smooth ones included.
  Problem with_all_rows(Rows rows) const;
  // Around w, with linear rows in place of the smooth ones: lower <= c(w) + J(w) (x - w) <= upper. `at` is
  // what smooth_rows().at(w) gave, and finite.
  Problem linearised(const Vector& w, const SmoothPoint& at) const;
  // The same set, rows and start with another objective.
  Problem with_objective(AnyObjective objective) const;
  Vector starting_point() const;

 private:
  AnyObjective objective_;
  AnySet set_;
  std::shared_ptr<const Rows> rows_;
  std::shared_ptr<const SmoothRows> smooth_;
  std::optional<AnyStochasticRows> stochastic_;
  Index stochastic_begin_ = 0;
  std::shared_ptr<const Vector> expected_right_;
  std::shared_ptr<const Names> variable_names_;
  std::shared_ptr<const Vector> start_;  // null: the default
};

}  // namespace bridle
