// Problems that the tests of this room go through.
#pragma once

#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/problem/problem.hpp"
#include "bridle/problem/sets/sets.hpp"

#include "tests/properties.hpp"

namespace bridle::test {

enum class Data { dense, dense_float, sparse };

// Labels that a linear model explains up to noise.
inline LinearModel small_model(const Loss& loss, Data data = Data::dense, Index samples = 300, Index n = 12,
                               double ridge = 1e-2, std::uint64_t seed = 1) {
  const DenseRows<double> features = random_sparse(samples, n, 0.6, 100 * seed + 1);
  Vector labels = features * random_vector(n, 100 * seed + 2) + random_vector(samples, 100 * seed + 3);
  if (is_classification(loss))
    for (double& label : labels) label = label < 0 ? -1 : 1;
  const Vector weights = Vector::Constant(n, ridge);
  if (data == Data::sparse) return {SparseRows(features.sparseView()), labels, loss, weights};
  if (data == Data::dense_float) return {DenseRows<float>(features.cast<float>()), labels, loss, weights};
  return {features, labels, loss, weights};
}

// Ranged, one-sided and equality rows around a point of the box [-1, 1]^n, so that there is a feasible one.
inline Problem with_rows(const LinearModel& model, Index rows, std::uint64_t seed = 1) {
  const Index n = model.dimension();
  const Matrix matrix = random_sparse(rows, n, 0.5, 100 * seed + 11);
  Vector middle = random_vector(n, 100 * seed + 12, 0.3).cwiseMax(-0.9).cwiseMin(0.9);
  const Vector activity = matrix * middle;
  Vector lower = activity, upper = activity;
  for (Index i = 0; i < rows; ++i) {
    if (i % 4 == 1) lower[i] = -infinity;
    if (i % 4 == 2) upper[i] += 0.1;
    if (i % 4 == 3) upper[i] = infinity;
  }
  Problem out{model};
  out.within(Box(Vector::Constant(n, -1), Vector::Constant(n, 1))).subject_to(matrix, lower, upper);
  return out;
}

}  // namespace bridle::test
