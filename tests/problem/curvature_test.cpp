// Second derivatives of objectives, whatever the loss and the storage of the data.
#include <gtest/gtest.h>

#include "bridle/problem/losses/loss_block.hpp"
#include "bridle/problem/objectives/linear_sums.hpp"
#include "bridle/problem/objectives/quadratic.hpp"

#include "tests/properties.hpp"

namespace bridle {
namespace {

constexpr Index rows = 403, columns = 21;  // neither fills the lanes

Vector labels_for(const Loss& loss) {
  Vector labels = test::random_vector(rows, 5);
  if (is_classification(loss))
    for (double& label : labels) label = label < 0 ? -1 : 1;
  return labels;
}

Features data(const std::string& storage) {
  const DenseRows<double> all = test::random_sparse(rows, columns, 0.4, 3);
  if (storage == "sparse") return SparseRows(all.sparseView());
  if (storage == "float") return DenseRows<float>(all.cast<float>());
  return all;
}

LinearModel model_with(const std::string& storage, const Loss& loss) {
  Vector ridge = Vector::Constant(columns, 0.1);
  ridge[columns - 1] = 0;
  return {data(storage), labels_for(loss), loss, ridge};
}

TEST(LossBlock, IsTheLossOutputByOutput) {
  for (const auto& entry : all_losses()) {
    const Vector labels = labels_for(entry.loss);
    for (const double size : {1e-9, 1.0, 40.0, 1e4}) {
      const Vector t = test::random_vector(rows, 8, size);
      Vector slopes(rows), bends(rows);
      loss_derivatives(entry.loss, t.data(), labels.data(), rows, slopes.data(), bends.data());
      double sum = 0;
      for (Index i = 0; i < rows; ++i) {
        sum += loss_value(entry.loss, t[i], labels[i]);
        const double one = sum_of_losses(entry.loss, t.data() + i, labels.data() + i, 1);
        EXPECT_NEAR(one, loss_value(entry.loss, t[i], labels[i]), 1e-15 * (2 + one)) << entry.name << t[i];
        EXPECT_NEAR(slopes[i], loss_slope(entry.loss, t[i], labels[i]), 1e-15 * (1 + std::abs(slopes[i])));
        EXPECT_NEAR(bends[i], loss_bend(entry.loss, t[i], labels[i]), 1e-15) << entry.name << t[i];
      }
      EXPECT_NEAR(sum_of_losses(entry.loss, t.data(), labels.data(), rows), sum, 1e-13 * (1 + sum));
    }
    const double bad = std::nan(""), label = 1;
    EXPECT_TRUE(std::isnan(sum_of_losses(entry.loss, &bad, &label, 1)) || entry.name == "tukey")
        << entry.name;
  }
}

TEST(Curvature, OfLinearModelsAgainstDifferencesOfGradients) {
  for (const char* storage : {"double", "float", "sparse"})
    for (const auto& entry : all_losses()) {
      const AnyObjective objective = model_with(storage, entry.loss);
      const Vector x = test::random_vector(columns, 11, 0.3), d = test::random_vector(columns, 12);
      constexpr double h = 1e-6;
      Vector ahead(columns), behind(columns), product(columns), gradient(columns), plain(columns);
      objective.mean_gradient(x + h * d, ahead);
      objective.mean_gradient(x - h * d, behind);
      objective.hessian_product(x, d, product);
      const Vector difference = (ahead - behind) / (2 * h);
      // Where V'' has kinks a sample may sit on one.
      const double slack = entry.name == "huber" || entry.name == "smoothed-01" ? 2e-2 : 1e-8;
      EXPECT_LT((product - difference).norm(), slack * (1 + product.norm())) << storage << " " << entry.name;
      Matrix hessian;
      objective.hessian(x, hessian);
      EXPECT_LT((hessian * d - product).norm(), 1e-13 * (1 + product.norm())) << storage << entry.name;
      EXPECT_EQ(hessian, hessian.transpose());
      const double value = objective.value_and_gradient(x, gradient).value();
      objective.mean_gradient(x, plain);
      EXPECT_NEAR(value, *objective.mean_value(x), 1e-14 * (1 + value));
      EXPECT_LT((gradient - plain).norm(), 1e-14 * (1 + plain.norm()));
    }
}

TEST(Curvature, OfQuadratics) {
  const Matrix q = test::with_spectrum(test::vec(-1, 0.5, 2, 3), 4);
  const AnyObjective objective = Quadratic(test::sparse(q), test::vec(1, 2, 3, 4), 7);
  const Vector x = test::random_vector(4, 1), d = test::random_vector(4, 2);
  Vector product(4), gradient(4), plain(4);
  Matrix hessian;
  objective.hessian_product(x, d, product);
  objective.hessian(x, hessian);
  test::expect_near(product, q * d);
  EXPECT_LT((hessian - q).norm(), 1e-14);
  EXPECT_NEAR(*objective.value_and_gradient(x, gradient), *objective.mean_value(x), 1e-13);
  objective.mean_gradient(x, plain);
  test::expect_near(gradient, plain);
}

// A user's objective with products alone, one with a Hessian alone, one with neither.
struct Bare {
  Index dimension() const { return 3; }
  Index sample_count() const { return 1; }
  void gradient(ConstVectorRef x, Sample, VectorRef out) const { out = x.array().cube(); }
};
struct WithProducts : Bare {
  void hessian_product(ConstVectorRef x, ConstVectorRef d, VectorRef out) const {
    out = 3 * x.array().square() * d.array();
  }
};
struct WithHessian : Bare {
  void hessian(ConstVectorRef x, Matrix& out) const { out = (3 * x.array().square()).matrix().asDiagonal(); }
};

TEST(Curvature, OfUserObjectives) {
  const Vector x = test::vec(1, 2, 3), d = test::vec(1, -1, 2);
  const Vector expected = test::vec(3, -12, 54);
  Vector out(3);
  Matrix all;
  const AnyObjective products = WithProducts{}, hessian = WithHessian{}, bare = Bare{};
  EXPECT_TRUE(products.has_hessian_product() && !products.has_hessian());
  EXPECT_TRUE(!hessian.has_hessian_product() && hessian.has_hessian());
  EXPECT_TRUE(!bare.has_hessian_product() && !bare.has_hessian());
  for (const AnyObjective& objective : {products, hessian}) {
    objective.hessian_product(x, d, out);
    test::expect_near(out, expected);
    objective.hessian(x, all);
    test::expect_near(all * d, expected);
  }
  EXPECT_FALSE(bare.value_and_gradient(x, out));  // it has no value function
}

TEST(LinearSums, SamplesAreTheirRows) {
  const LinearModel model = model_with("sparse", LogisticLoss{});
  const LinearSums all(model), some = all.sample(7, 3, LinearSums::Kind::vectors);
  const Vector w = test::random_vector(rows, 9), d = test::random_vector(columns, 10);
  Vector expected = Vector::Zero(columns), product(columns);
  Index count = 0;
  for (Index i = 3; i < rows; i += 7, ++count)
    model.features().add_row(i, w[i] * model.features().dot(i, d), expected);
  some.mean_square_product(some.pick(w), d, product);
  test::expect_near(product, expected / static_cast<double>(count), 1e-13);
}

TEST(LinearSums, SameBitsOnAnyNumberOfThreads) {
  DenseRows<double> values(20'003, 29);
  for (Index i = 0; i < values.rows(); ++i)
    values.row(i) = test::random_vector(29, static_cast<std::uint64_t>(i)).transpose();
  Vector labels(values.rows());
  for (Index i = 0; i < labels.size(); ++i) labels[i] = i % 3 ? 1 : -1;
  for (const bool sparse : {false, true}) {
    const Features features = sparse ? Features(SparseRows(values.sparseView())) : Features(values);
    const LinearModel model(features, labels, LogisticDifferenceLoss{});
    const Vector x = test::random_vector(29, 3), d = test::random_vector(29, 4);
    Matrix alone, together;
    Vector product(29), again(29), gradient(29), gradient_again(29);
    model.hessian(x, alone);
    model.hessian_product(x, d, product);
    const double value = model.value_and_gradient(x, gradient);
    for (const unsigned threads : {2U, 3U, 8U}) {
      use_threads(threads);
      model.hessian(x, together);
      model.hessian_product(x, d, again);
      EXPECT_EQ(model.value_and_gradient(x, gradient_again), value);
      use_threads(1);
      EXPECT_EQ(alone, together);
      EXPECT_EQ(product, again);
      EXPECT_EQ(gradient, gradient_again);
    }
  }
}

}  // namespace
}  // namespace bridle
