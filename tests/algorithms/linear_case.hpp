// What the tests of representations run: a linear model of 80 variables with rows, bounds and a ridge in many
// combinations, and where its iterates begin.
#pragma once

#include "bridle/algorithms/registry.hpp"
#include "bridle/params/automatic.hpp"
#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/problem/sets/sets.hpp"

#include "tests/properties.hpp"

namespace bridle::test {

inline constexpr Index n = 80, samples = 120;
inline constexpr Parameters steps{.tau = 0.1, .eta = 0.3, .beta = 0.2, .mu = 2, .rho = 1};

struct Case {
  std::string name;
  Loss loss = LogisticDifferenceLoss{};
  double ridge = 0;
  bool bounds = false;  // on the variables that are in no row
  bool scaled = true;
  Index batch = 1;
  Parameters parameters = steps;
  Index bounded_in_rows = 0;    // the first ones
  Index short_rows = 0;         // over the first 40 variables
  bool away_from_zero = false;  // bounds on the last five variables, which are in no row
  double spread = 0.3;          // of the logarithms of the column scales
  double density = 0.1;
};

// Five rows over the first 60 variables, two of them equalities, and short ones.
inline Problem make_problem(const Case& c) {
  Matrix data = random_sparse(samples, n, c.density, 1);
  data.row(7).setZero();  // a sample without nonzeros
  const Vector labels = (random_vector(samples, 2).array() > 0).select(Vector::Ones(samples), -1.0);
  Problem problem(LinearModel(SparseRows(data.sparseView()), labels, c.loss,
                              c.ridge > 0 ? Vector(Vector::Constant(n, c.ridge)) : Vector()));
  Matrix rows = Matrix::Zero(5 + c.short_rows, n);
  rows.topLeftCorner(5, 60) = random_matrix(5, 60, 3);
  Vector least = Vector::Constant(rows.rows(), -infinity), most = Vector::Constant(rows.rows(), 0.01);
  least.head(5) = vec(0.5, -1, -infinity, 0.1, -0.2);
  most.head(5) = vec(0.5, 1, 0.2, infinity, -0.2);
  for (Index k = 0; k < c.short_rows; ++k) {
    rows(5 + k, k % 40) = 1;
    rows(5 + k, (k + 1 + k / 40) % 40) = -1;
  }
  problem.subject_to(rows, least, most);
  Vector lower = Vector::Constant(n, -infinity), upper = -lower;
  if (c.bounds) {
    lower.tail(15).setConstant(-0.05);
    upper.tail(10).setConstant(0.02);
  }
  if (c.away_from_zero) {  // where a ridge pushes them against their bounds
    lower.tail(5).setConstant(0.004);
    upper.tail(5).setConstant(0.03);
  }
  lower.head(c.bounded_in_rows).setConstant(-0.02);
  upper.head(c.bounded_in_rows / 2).setConstant(0.03);
  if (c.bounds || c.bounded_in_rows > 0 || c.away_from_zero) problem.within(Box(lower, upper));
  return problem;
}

// As the rule's: of few different values where there is a ridge.
inline Vector columns_of(Index count, bool with_ridge, double spread = 0.3) {
  const Vector columns = random_vector(count, 4, spread).array().exp();
  return with_ridge ? rounded_columns(columns) : columns;
}

inline Scaling scaling_of(const Case& c) {
  Scaling out;
  if (c.scaled) out.columns = columns_of(n, c.ridge > 0, c.spread);
  return out;
}

inline Iterate start_of(const StandardForm& form) {
  Iterate out;
  out.x = 0.01 * random_vector(form.dimension(), 5);
  form.project(out.x);
  out.z = 0.5 * out.x;
  form.project(out.z);
  out.y = random_vector(form.rows(), 6);
  return out;
}

// The representation that is chosen, and why.
inline RepresentationChoice choice_for(std::string_view algorithm, const StandardForm& form,
                                       const Stage& stage) {
  return find_algorithm(algorithm)->choose(form, stage, start_of(form));
}

}  // namespace bridle::test
