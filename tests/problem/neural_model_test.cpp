#include "bridle/problem/objectives/neural_model.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "bridle/core/random.hpp"
#include "bridle/core/threads.hpp"
#include "bridle/problem/objective.hpp"

namespace bridle {
namespace {

DenseRows<double> made_up_rows(Index rows, Index columns) {
  const Stream stream(4, Purpose::generator);
  DenseRows<double> out(rows, columns);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < columns; ++j)
      out(i, j) = j + 1 == columns ? 1 : stream.normal(static_cast<std::uint64_t>(i * columns + j));
  return out;
}

Vector made_up_labels(Index rows) {
  const Stream stream(5, Purpose::generator);
  Vector out(rows);
  for (Index i = 0; i < rows; ++i) out[i] = stream.uniform(static_cast<std::uint64_t>(i)) < 0.4 ? 1 : -1;
  return out;
}

LinearModel made_up_data(bool sparse, Index rows = 300, Index columns = 4) {
  const DenseRows<double> x = made_up_rows(rows, columns);
  Vector ridge = Vector::Constant(columns, 0.01);
  ridge[columns - 1] = 0;
  if (!sparse) return {Features(x), made_up_labels(rows), LogisticLoss{}, ridge};
  return {Features(SparseRows(x.sparseView())), made_up_labels(rows), LogisticLoss{}, ridge};
}

NeuralModel made_up_model(bool sparse = false, Vector weights = {}) {
  return {made_up_data(sparse), {5, 3}, std::move(weights)};
}

// Central differences: with a step of h their error is h^2 times a third derivative, and rounding over h.
constexpr double step = 1e-5, differences = 1e-8;

TEST(NeuralModel, ScoresByHand) {
  DenseRows<double> x(1, 2);
  x << 0.5, 1;
  const NeuralNetwork network(2, {2, 1});
  ASSERT_EQ(network.weights(), 4 + 3 + 2);
  EXPECT_EQ(network.first_output_weight(), 7);
  Vector w(9);
  w << 1, -2, 0.1, 0.2, 0.3, -0.4, 0.05, 1.5, -0.25;
  const double a = std::tanh(0.5 * 1 + 0.1), b = std::tanh(0.5 * -2 + 0.2);
  const double c = std::tanh(0.3 * a - 0.4 * b + 0.05);
  network.for_each_block(Features(x), 0, 1, w, [&](Index i, Index count, const double* scores) {
    EXPECT_EQ(i, 0);
    EXPECT_EQ(count, 1);
    EXPECT_NEAR(scores[0], 1.5 * c - 0.25, 1e-15);
  });
}

TEST(NeuralModel, GradientsAreThoseOfDifferences) {
  for (const bool sparse : {false, true}) {
    const NeuralModel model = made_up_model(sparse, Vector::LinSpaced(300, 0, 2));
    const Vector w = model.start(3);
    Vector gradient(w.size());
    const double value = model.value_and_gradient(w, gradient);
    EXPECT_NEAR(value, model.mean_value(w), 1e-14);
    for (Index j = 0; j < w.size(); ++j) {
      const Vector d = step * Vector::Unit(w.size(), j);
      EXPECT_NEAR(gradient[j], (model.mean_value(w + d) - model.mean_value(w - d)) / (2 * step), differences);
    }
  }
}

TEST(NeuralModel, HessianProductsAreThoseOfDifferences) {
  for (const bool sparse : {false, true}) {
    const NeuralModel model = made_up_model(sparse);
    const Vector w = model.start(7), direction = model.start(8);
    Vector product(w.size()), ahead(w.size()), behind(w.size());
    model.hessian_product(w, direction, product);
    model.mean_gradient(w + step * direction, ahead);
    model.mean_gradient(w - step * direction, behind);
    EXPECT_LT((product - (ahead - behind) / (2 * step)).lpNorm<Eigen::Infinity>(), differences);
    Matrix hessian;
    AnyObjective(model).hessian(w, hessian);
    EXPECT_LT((hessian - hessian.transpose()).lpNorm<Eigen::Infinity>(), 1e-13);
  }
}

TEST(NeuralModel, BatchesAreMeansOfSamples) {
  const NeuralModel model = made_up_model();
  const Vector w = model.start(1);
  const std::vector<Sample> samples = {17, 3, 299, 3};
  Vector batch(w.size()), one(w.size()), sum = Vector::Zero(w.size()), all = Vector::Zero(w.size());
  double value = 0;
  model.batch_gradient(w, samples, batch);
  for (const Sample sample : samples) {
    model.gradient(w, sample, one);
    sum += one / 4;
    value += model.value(w, sample) / 4;
  }
  EXPECT_LT((batch - sum).lpNorm<Eigen::Infinity>(), 1e-15);
  EXPECT_NEAR(model.batch_value(w, samples), value, 1e-15);
  for (Sample sample = 0; sample < 300; ++sample) {
    model.gradient(w, sample, one);
    all += one / 300;
  }
  model.mean_gradient(w, one);
  EXPECT_LT((all - one).lpNorm<Eigen::Infinity>(), 1e-14);
}

TEST(NeuralModel, AnyNumberOfThreadsGivesTheSameBits) {
  const NeuralModel model = made_up_model();
  const Vector w = model.start(2);
  Vector one(w.size()), three(w.size());
  const double value = model.value_and_gradient(w, one);
  use_threads(3);
  const double other = model.value_and_gradient(w, three);
  use_threads(1);
  EXPECT_EQ(value, other);
  EXPECT_EQ(one, three);
}

TEST(NeuralModel, BiasesGoFreeOfTheRidge) {
  const NeuralModel with = made_up_model();
  const LinearModel data = made_up_data(false);
  const NeuralModel without({data.features(), data.labels(), LogisticLoss{}}, {5, 3});
  const Vector w = with.start(5);
  Vector a(w.size()), b(w.size());
  with.mean_gradient(w, a);
  without.mean_gradient(w, b);
  const Names names = with.variable_names();
  ASSERT_EQ(static_cast<Index>(names.size()), w.size());
  for (Index j = 0; j < w.size(); ++j) {
    const std::string& name = names[static_cast<std::size_t>(j)];
    const bool bias = name.ends_with(".bias") || name.ends_with(".x4");
    EXPECT_NEAR(a[j] - b[j], bias ? 0 : 0.01 * w[j], 1e-15) << name;
  }
}

TEST(NeuralModel, RefusesWhatIsNoNetwork) {
  EXPECT_THROW(NeuralNetwork(3, {}), InputError);
  EXPECT_THROW(NeuralNetwork(3, {2, 0}), InputError);
  EXPECT_THROW(made_up_model(false, Vector::Zero(300)), InputError);
  EXPECT_THROW(made_up_model(false, Vector::Ones(299)), InputError);
}

}  // namespace
}  // namespace bridle
