// What a user states:  minimise E f(x, xi)  subject to  l <= A x <= u,  x in X.
#pragma once

#include "bridle/problem/objective.hpp"
#include "bridle/problem/set.hpp"

namespace bridle {

// Named, two-sided sparse rows; lower == upper makes an equality.
struct Rows {
  SparseRows matrix;
  Vector lower, upper;
  Names names;

  Index count() const { return matrix.rows(); }
  bool is_equality(Index i) const { return lower[i] == upper[i]; }
};

class Problem {
 public:
  explicit Problem(AnyObjective objective);

  // x in X; replaces the set given before.
  Problem& within(AnySet set);
  // l <= A x <= u, added to the rows given before. Names default to row1, row2, ...
  Problem& subject_to(const SparseRows& matrix, const Vector& lower, const Vector& upper, Names names = {});
  Problem& subject_to(const Matrix& matrix, const Vector& lower, const Vector& upper, Names names = {});
  // Names of the variables; default: the objective's own names, else x1, x2, ...
  Problem& name_variables(Names names);
  // Where the run starts; default: the projection of 0 onto X.
  Problem& start_from(Vector x);

  Index dimension() const { return objective_.dimension(); }
  const AnyObjective& objective() const { return objective_; }
  const AnySet& set() const { return set_; }
  const Rows& rows() const { return rows_; }
  const Names& variable_names() const { return variable_names_; }
  Vector starting_point() const;

 private:
  AnyObjective objective_;
  AnySet set_;
  Rows rows_;
  Names variable_names_;
  Vector start_;
};

}  // namespace bridle
