#include "bridle/problem/objectives/weighted_model.hpp"

#include <gtest/gtest.h>

#include "bridle/core/error.hpp"
#include "bridle/core/random.hpp"

namespace bridle {
namespace {

LinearModel model_of(const std::vector<Index>& rows, Index columns = 4) {
  const Stream stream(2, Purpose::noise);
  DenseRows<double> x(static_cast<Index>(rows.size()), columns);
  Vector labels(x.rows());
  for (Index i = 0; i < x.rows(); ++i) {
    const auto at = static_cast<std::uint64_t>(100 * rows[static_cast<std::size_t>(i)]);
    for (Index j = 0; j < columns; ++j) x(i, j) = stream.normal(at + static_cast<std::uint64_t>(j));
    labels[i] = stream.uniform(at + 50) < 0.5 ? 1 : -1;
  }
  return {Features(x), labels, LogisticDifferenceLoss{}, Vector::Constant(columns, 0.01)};
}

// A row of weight 3 is a row that is there three times.
TEST(WeightedModel, WeightsAreRepetitions) {
  const WeightedModel weighted(model_of({0, 1, 2, 3}), (Vector(4) << 3, 0, 1, 2).finished());
  const LinearModel repeated = model_of({0, 0, 0, 2, 3, 3});
  const Vector x = Vector::LinSpaced(4, -1, 0.5);
  // Sums of a few terms of size 1.
  const double rounding = 1e-14;
  EXPECT_NEAR(weighted.mean_value(x), repeated.mean_value(x), rounding);
  Vector a(4), b(4);
  weighted.mean_gradient(x, a);
  repeated.mean_gradient(x, b);
  EXPECT_LT((a - b).norm(), rounding);
  Matrix g(4, 4), h(4, 4);
  weighted.hessian(x, g);
  repeated.hessian(x, h);
  EXPECT_LT((g - h).norm(), rounding);
}

TEST(WeightedModel, SamplesAverageToTheWhole) {
  const WeightedModel weighted(model_of({0, 1, 2, 3, 4}), (Vector(5) << 1, 2, 0, 0.5, 4).finished());
  const Vector x = Vector::LinSpaced(4, 1, -2);
  Vector sum = Vector::Zero(4), one(4), whole(4);
  double value = 0;
  for (Sample i = 0; i < 5; ++i) {
    weighted.gradient(x, i, one);
    sum += one / 5;
    value += weighted.value(x, i) / 5;
  }
  weighted.mean_gradient(x, whole);
  EXPECT_LT((sum - whole).norm(), 1e-14);
  EXPECT_NEAR(value, weighted.mean_value(x), 1e-14);
}

TEST(WeightedModel, BadWeightsAreRefused) {
  EXPECT_THROW(WeightedModel(model_of({0, 1}), Vector::Zero(2)), InputError);
  EXPECT_THROW(WeightedModel(model_of({0, 1}), Vector::Ones(3)), InputError);
  EXPECT_THROW(WeightedModel(model_of({0, 1}), (Vector(2) << 1, -1).finished()), InputError);
}

}  // namespace
}  // namespace bridle
