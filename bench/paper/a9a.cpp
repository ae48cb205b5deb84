#include "bench/paper/a9a.hpp"

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <numbers>

#include "bridle/io/libsvm.hpp"
#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/problem/sets/box.hpp"

namespace bridle::paper {

std::optional<A9a> load_a9a() {
  const std::string path = BRIDLE_SHARED_DATA "/a9a/a9a.gz";
  if (!std::filesystem::exists(path)) {
    std::printf("rates: no a9a at ../shared/data/a9a/a9a.gz; its rows are left out\n");
    return std::nullopt;
  }
  const io::SparseData data = io::read_libsvm(path);
  const Index n = data.features.cols();
  const double N = static_cast<double>(data.features.rows());
  Vector v = Vector::Ones(n).normalized();
  double largest = 0;
  for (int k = 0; k < 50; ++k) {  // the power method: the first columns' common direction is far ahead
    v = data.features.transpose() * (data.features * v) / N;
    largest = v.norm();
    v /= largest;
  }
  // Groups of one-hot columns (0-based, from, to): age, education, marital status, sex.
  constexpr Index groups[][2] = {{0, 5}, {18, 34}, {39, 46}, {71, 73}};
  Matrix rows = Matrix::Zero(4, n);
  for (Index i = 0; i < 4; ++i)
    for (Index j = groups[i][0]; j < groups[i][1]; ++j)
      rows(i, j) = 1 / std::sqrt(static_cast<double>(groups[i][1] - groups[i][0]));
  rows(3, 72) *= -1;  // the two columns of the last group: their difference
  Vector lower(4), upper(4);
  lower << 0.5, -0.5, -0.1, -0.02;
  upper << 0.5, -0.5, 0.1, 0.02;
  const LogisticDifferenceLoss loss;
  Problem problem(LinearModel(SparseRows(data.features), data.labels, loss));
  problem.within(Box(Vector::Constant(n, -1), Vector::Constant(n, 1)));
  problem.subject_to(rows, lower, upper);
  return A9a{std::move(problem), loss.curvature() * largest, std::numbers::sqrt2};
}

}  // namespace bridle::paper
