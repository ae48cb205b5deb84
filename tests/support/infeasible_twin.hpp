// Problems that cannot be solved, made from ones that can; for benchmarks and tests.
#pragma once

#include <cmath>

#include "bridle/core/random.hpp"
#include "bridle/problem/problem.hpp"

namespace bridle {

// The problem with one row more, a mixture of the others that asks for more than they allow: by `excess` of
// the mixture's bound.
inline Problem infeasible_twin(const Problem& problem, std::uint64_t seed, double excess = 0.05) {
  const Rows& rows = problem.rows();
  Vector y(rows.count());
  Stream(seed, Purpose::generator).fill_normal(y, 0);
  double most = 0;
  for (Index i = 0; i < y.size(); ++i) {
    if (!is_finite(y[i] > 0 ? rows.upper[i] : rows.lower[i])) y[i] = -y[i];
    if (!is_finite(y[i] > 0 ? rows.upper[i] : rows.lower[i])) y[i] = 0;
    if (y[i] != 0) most += y[i] * (y[i] > 0 ? rows.upper[i] : rows.lower[i]);
  }
  const Vector mixture = rows.matrix.transpose() * y;
  Problem out = problem;
  out.subject_to(Matrix(mixture.transpose()), Vector::Constant(1, most + excess * (1 + std::abs(most))),
                 Vector::Constant(1, infinity), {"impossible"});
  return out;
}

}  // namespace bridle
