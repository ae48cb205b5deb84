// Problems whose stationary point is known: a quadratic whose linear part is chosen so that the planted (x,
// y) meets the conditions grad f(x) + A'y + N_X(x) = 0, with strict complementarity on rows and set.
#pragma once

#include "bridle/problem/objectives/quadratic.hpp"
#include "bridle/problem/problem.hpp"

#include "tests/properties.hpp"

namespace bridle::test {

struct PlantedRows {
  Index equalities = 0;
  Index touched = 0;       // inequalities that hold with equality, upper and lower bounds in turn
  Index untouched = 0;     // inequalities with room on both sides
  bool redundant = false;  // adds twice the first row, and the sum of the first two: y is no longer unique
};

struct Planted {
  Problem problem;
  Vector x, y;
};

inline Planted plant(const AnySet& set, const Vector& spectrum, const PlantedRows& wish,
                     std::uint64_t counter, GradientNoise noise = {}) {
  const Index n = set.dimension(), own = wish.equalities + wish.touched + wish.untouched;
  const Index m = own + (wish.redundant ? 2 : 0);
  const Vector outside = random_vector(n, 10 * counter, 2);
  Vector x = outside, y = Vector::Zero(m), lower(m), upper(m);
  set.project(x);
  Matrix rows(m, n);
  rows.topRows(own) = random_matrix(own, n, 10 * counter + 1);
  const Vector sizes = random_vector(own, 10 * counter + 2).cwiseAbs().array() + 0.5;
  for (Index i = 0; i < own; ++i) {
    const double activity = rows.row(i).dot(x);
    const bool up = i % 2 == 0;
    if (i < wish.equalities) {
      lower[i] = upper[i] = activity;
      y[i] = up ? sizes[i] : -sizes[i];
    } else if (i < wish.equalities + wish.touched) {
      lower[i] = up ? (i % 4 == 0 ? -infinity : activity - 3) : activity;
      upper[i] = up ? activity : (i % 4 == 1 ? infinity : activity + 3);
      y[i] = up ? sizes[i] : -sizes[i];
    } else {
      lower[i] = activity - sizes[i];
      upper[i] = activity + 1;
    }
  }
  if (wish.redundant) {
    rows.row(own) = 2 * rows.row(0);
    lower[own] = 2 * lower[0];
    upper[own] = 2 * upper[0];
    rows.row(own + 1) = rows.row(0) + rows.row(1);
    lower[own + 1] = lower[0] + lower[1];
    upper[own + 1] = upper[0] + upper[1];
  }
  const Matrix hessian = with_spectrum(spectrum, 10 * counter + 3);
  const Vector cost =
      -(hessian * x + rows.transpose() * y + (outside - x));  // outside - x is normal to X at x
  Problem problem(Quadratic(sparse(hessian), cost, 0, noise));
  problem.within(set);
  if (m > 0) problem.subject_to(rows, lower, upper);
  return {std::move(problem), std::move(x), std::move(y)};
}

}  // namespace bridle::test
