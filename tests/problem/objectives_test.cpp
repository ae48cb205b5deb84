#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/problem/objectives/quadratic.hpp"

#include "tests/properties.hpp"
#include "tests/tolerances.hpp"

namespace bridle {
namespace {

using test::expect_near;
using test::random_vector;
using test::vec;

constexpr Index samples = 60, n = 7;

Vector labels_for(const Loss& loss) {
  Vector labels = random_vector(samples, 31);
  if (is_classification(loss)) labels = (labels.array() > 0).select(Vector::Ones(samples), -1.0);
  return labels;
}

// About half of the entries are 0; all are exact in float.
Matrix data() {
  Matrix out = test::random_sparse(samples, n, 0.5, 30);
  return (out.array() * 64).round() / 64;
}

Vector ridge() {
  Vector out = Vector::LinSpaced(n, 0.1, 0.7);
  out[0] = 0;  // an intercept goes free
  return out;
}

LinearModel dense_model(const Loss& loss) {
  return {Features(DenseRows<double>(data())), labels_for(loss), loss, ridge()};
}

Vector mean_gradient(const AnyObjective& f, const Vector& x) {
  Vector out(x.size());
  f.mean_gradient(x, out);
  return out;
}
Vector gradient(const AnyObjective& f, const Vector& x, Sample sample) {
  Vector out = Vector::Constant(x.size(), 1e300);  // must be overwritten
  f.gradient(x, sample, out);
  return out;
}

void expect_gradient_of_mean_value(const AnyObjective& f, const Vector& x) {
  constexpr double h = 1e-5;
  const Vector g = mean_gradient(f, x);
  for (Index j = 0; j < x.size(); ++j) {
    const Vector step = h * Vector::Unit(x.size(), j);
    const double difference = (*f.mean_value(x + step) - *f.mean_value(x - step)) / (2 * h);
    EXPECT_NEAR(g[j], difference, 1e-8 * (1 + g.norm()));
  }
}

double spectral_norm(const Matrix& symmetric) {
  return Eigen::SelfAdjointEigenSolver<Matrix>(symmetric).eigenvalues().cwiseAbs().maxCoeff();
}

TEST(LinearModel, DenseFloatAndSparseAgree) {
  for (const auto& entry : all_losses()) {
    const Vector labels = labels_for(entry.loss), x = random_vector(n, 32);
    const LinearModel dense = dense_model(entry.loss);
    const LinearModel single(Features(DenseRows<float>(data().cast<float>())), labels, entry.loss, ridge());
    const LinearModel sparse(Features(SparseRows(data().sparseView())), labels, entry.loss, ridge());
    EXPECT_TRUE(sparse.features().sparse());
    for (const LinearModel* other : {&single, &sparse}) {
      EXPECT_NEAR(other->mean_value(x), dense.mean_value(x), 1e-12);
      expect_near(mean_gradient(*other, x), mean_gradient(dense, x));
      EXPECT_NEAR(*other->smoothness(), *dense.smoothness(), 1e-12);
      expect_near(other->column_statistics().frequency, dense.column_statistics().frequency);
      expect_near(other->column_statistics().magnitude, dense.column_statistics().magnitude);
      for (Sample i = 0; i < samples; ++i) {
        expect_near(gradient(*other, x, i), gradient(dense, x, i));
        EXPECT_NEAR(other->value(x, i), dense.value(x, i), 1e-12);
      }
    }
  }
}

TEST(LinearModel, GradientsAndValues) {
  for (const auto& entry : all_losses()) {
    const LinearModel model = dense_model(entry.loss);
    const Vector x = random_vector(n, 33);
    Vector sum = Vector::Zero(n);
    double value = 0;
    for (Sample i = 0; i < samples; ++i) {
      sum += gradient(model, x, i);
      value += model.value(x, i);
    }
    expect_near(sum / samples, mean_gradient(model, x));
    EXPECT_NEAR(value / samples, model.mean_value(x), 1e-12) << entry.name;
    expect_gradient_of_mean_value(model, x);
  }
}

// f = 1/2 mean r^2 + 1/2 x' diag(ridge) x by hand: x = (1, 2), rows (1, 0), (1, 1), labels 0, 1; r = 1, 2.
TEST(LinearModel, ByHand) {
  DenseRows<double> rows(2, 2);
  rows << 1, 0, 1, 1;
  const LinearModel model(rows, vec(0, 1), SquaredLoss{}, vec(0, 3), {"intercept", "slope"});
  const Vector x = vec(1, 2);
  EXPECT_EQ(model.mean_value(x), (0.5 * 1 + 0.5 * 4) / 2 + 0.5 * 3 * 4);
  EXPECT_EQ(model.mean_loss(x), 1.25);
  EXPECT_EQ(mean_gradient(model, x), vec(1.5, 1 + 6));
  EXPECT_EQ(gradient(model, x, 1), vec(2, 2 + 6));
  EXPECT_EQ(*model.smoothness(), (1 + 2) / 2. + 3);
  EXPECT_EQ(model.column_statistics().frequency, vec(1, 0.5));
  EXPECT_EQ(model.column_statistics().magnitude, vec(1, 1));
  EXPECT_EQ(model.mean_squared_norm(vec(2, 1)), (4 + 5) / 2.);
  EXPECT_EQ(model.variable_names(), (Names{"intercept", "slope"}));
  EXPECT_EQ(mean_gradient(model.with_loss(HuberLoss{1}), x), vec(1, 0.5 + 6));
}

// |grad f(x) - grad f(y)| <= L |x - y|; for the squared loss L is also compared with the Hessian's
// eigenvalue.
TEST(LinearModel, SmoothnessIsAnUpperBound) {
  const Matrix gram = data().transpose() * data() / static_cast<double>(samples);
  for (const auto& entry : all_losses()) {
    const LinearModel model = dense_model(entry.loss);
    const double bound = *model.smoothness();
    EXPECT_GE(bound, loss_curvature(entry.loss) * spectral_norm(gram)) << entry.name;
    for (std::uint64_t k = 0; k < 20; ++k) {
      const Vector x = random_vector(n, 40 + k), move = random_vector(n, 70 + k, 0.01);
      EXPECT_LE((mean_gradient(model, x + move) - mean_gradient(model, x)).norm(), bound * move.norm());
    }
  }
  const Matrix hessian = gram + Matrix(ridge().asDiagonal());
  const double bound = *dense_model(SquaredLoss{}).smoothness();
  EXPECT_GE(bound, spectral_norm(hessian));
  EXPECT_LE(bound, n * spectral_norm(hessian)) << "the trace is at most n eigenvalues";
}

TEST(LinearModel, InputErrors) {
  const auto refusal = [](const Matrix& rows, const Vector& labels, const Loss& loss,
                          const Vector& weights = {}, const Names& names = {}) {
    return test::refusal([&] { LinearModel(DenseRows<double>(rows), labels, loss, weights, names); });
  };
  const Matrix rows = Matrix::Ones(2, 3);
  test::expect_contains(refusal(Matrix(0, 3), Vector(0), SquaredLoss{}), "empty");
  test::expect_contains(refusal(rows, vec(1, 2, 3), SquaredLoss{}), "2 rows but 3 labels");
  test::expect_contains(refusal(rows, vec(1, 2), LogisticLoss{}), "label 2");
  test::expect_contains(refusal(rows, vec(1, std::nan("")), SquaredLoss{}), "label nan");
  test::expect_contains(refusal(rows, vec(1, 2), SquaredLoss{}, vec(1)), "3 columns but 1 ridge");
  test::expect_contains(refusal(rows, vec(1, 2), SquaredLoss{}, vec(1, -1, 0)), "ridge weight -1");
  test::expect_contains(refusal(rows, vec(1, 2), SquaredLoss{}, {}, {"a"}), "3 columns but 1 names");
}

Quadratic noisy(GradientNoise noise) {
  return {test::sparse(test::with_spectrum(vec(5, 2, 1, -1, -3), 50)), random_vector(5, 51), 0.25, noise};
}

TEST(Quadratic, ByHand) {
  Matrix q(2, 2);
  q << 2, 1, 1, -4;
  const Quadratic f(test::sparse(q), vec(1, -1), 10);
  EXPECT_EQ(f.mean_value(vec(3, 2)), 10 + 3 - 2 + 0.5 * (2 * 9 + 2 * 6 - 4 * 4));
  EXPECT_EQ(mean_gradient(f, vec(3, 2)), vec(2 * 3 + 2 + 1, 3 - 8 - 1));
  EXPECT_EQ(f.sample_count(), 1);
  EXPECT_EQ(gradient(f, vec(3, 2), 0), mean_gradient(f, vec(3, 2)));
  EXPECT_EQ(*f.smoothness(), 5);
}

TEST(Quadratic, GradientAndSmoothness) {
  const Quadratic f = noisy({});
  expect_gradient_of_mean_value(f, random_vector(5, 52));
  EXPECT_GE(*f.smoothness(), 5);  // the largest |eigenvalue|
  EXPECT_LE(*f.smoothness(), 5 * std::sqrt(5)) << "a row sum is at most sqrt n times the norm";
}

// Per coordinate: mean 0 by a z-test, E|e|^2 = sigma^2 with the standard error of |e|^2. False-alarm rate
// 1e-6 each.
void expect_noise(GradientNoise noise, const Vector& x, double squares, double squares_deviation) {
  const Quadratic f = noisy(noise);
  ASSERT_EQ(f.sample_count(), endless);
  const Vector exact = mean_gradient(f, x);
  constexpr int draws = 40'000;
  Vector sum = Vector::Zero(5), second = Vector::Zero(5);
  Matrix products = Matrix::Zero(5, 5);
  for (Sample s = 0; s < draws; ++s) {
    const Vector e = gradient(f, x, s * 0x9E3779B97F4A7C15ULL) - exact;
    sum += e;
    products += e * e.transpose();
  }
  second = products.diagonal() / draws;
  for (Index j = 0; j < 5; ++j) {
    test::expect_mean(sum[j] / draws, 0, std::sqrt(second[j]), draws, "noise of a coordinate");
    for (Index k = 0; k < j; ++k)
      test::expect_mean(products(j, k) / draws, 0, std::sqrt(second[j] * second[k]), draws,
                        "two coordinates");
  }
  test::expect_mean(second.sum(), squares, squares_deviation, draws, "E|noise|^2");
}

TEST(Quadratic, AdditiveNoise) {
  // |e|^2 = sigma^2 chi^2_5 / 5: mean 9, standard deviation 9 sqrt(2/5).
  expect_noise({.additive = 3}, random_vector(5, 53), 9, 9 * std::sqrt(0.4));
}

TEST(Quadratic, MultiplicativeNoise) {
  // |D x|^2 = |x|^2 always; 1e-9 stands for rounding.
  const Vector x = random_vector(5, 54);
  expect_noise({.multiplicative = 2}, x, 4 * x.squaredNorm(), 1e-9);
  // Both together, independent of each other: variances add.
  const double both = 1 + 4 * x.squaredNorm();
  expect_noise({.additive = 1, .multiplicative = 2}, x, both, std::sqrt(0.4 + 4 * 4 * x.squaredNorm() / 5));
}

TEST(Quadratic, TheSameSampleHasTheSameNoise) {
  const Quadratic f = noisy({.additive = 3});
  const Vector x = random_vector(5, 55), y = random_vector(5, 56);
  const Vector at_x = gradient(f, x, 77) - mean_gradient(f, x),
               at_y = gradient(f, y, 77) - mean_gradient(f, y);
  expect_near(at_x, at_y);
  EXPECT_EQ(gradient(f, x, 77), gradient(f, x, 77));
  EXPECT_GT((gradient(f, x, 78) - gradient(f, x, 77)).norm(), 0.1);
  const Quadratic g = noisy({.multiplicative = 1});
  const Vector signs = (gradient(g, x, 77) - mean_gradient(g, x)).cwiseQuotient(x);
  expect_near(signs, (gradient(g, y, 77) - mean_gradient(g, y)).cwiseQuotient(y));
  expect_near(signs.cwiseAbs(), Vector::Ones(5));
}

TEST(Quadratic, InputErrors) {
  Matrix q(2, 2);
  q << 2, 1, 0, -4;
  test::expect_contains(test::refusal([&] { Quadratic(test::sparse(q), vec(1, 1)); }), "not symmetric");
  test::expect_contains(test::refusal([&] { Quadratic(test::sparse(q), vec(1)); }), "Q is 2 x 2 but c has 1");
  test::expect_contains(
      test::refusal([] { Quadratic(test::sparse(Matrix::Identity(1, 1)), vec(1), 0, {.additive = -1}); }),
      "noise");
}

// A user's own type: f(x) = mean over i of (x_0 - i)^2/2 + x_1 cos(i), with the required members only ...
struct OwnSum {
  Index dimension() const { return 2; }
  Index sample_count() const { return 4; }
  void gradient(ConstVectorRef x, Sample i, VectorRef out) const {
    out[0] = x[0] - static_cast<double>(i);
    out[1] = std::cos(static_cast<double>(i));
  }
};
// ... with a value besides ...
struct OwnSumWithValue : OwnSum {
  double value(ConstVectorRef x, Sample i) const {
    const auto k = static_cast<double>(i);
    return 0.5 * (x[0] - k) * (x[0] - k) + x[1] * std::cos(k);
  }
};
// ... and as an endless stream, which has no mean.
struct OwnStream : OwnSumWithValue {
  Index sample_count() const { return endless; }
};

TEST(AnyObjective, UserDefinedTypes) {
  const Vector x = vec(3, 5);
  const double cosines = 1 + std::cos(1) + std::cos(2) + std::cos(3);
  const AnyObjective plain = OwnSum{}, valued = OwnSumWithValue{}, stream = OwnStream{};
  for (const AnyObjective& f : {plain, valued}) {
    EXPECT_TRUE(f.has_exact_mean());
    expect_near(mean_gradient(f, x), vec(1.5, cosines / 4));
    EXPECT_EQ(gradient(f, x, 2), vec(1, std::cos(2)));
    EXPECT_FALSE(f.smoothness());
    EXPECT_TRUE(f.variable_names().empty());
    EXPECT_EQ(f.as_linear_model(), nullptr);
    EXPECT_FALSE(f.deterministic());
  }
  EXPECT_FALSE(plain.mean_value(x));
  EXPECT_FALSE(plain.value(x, 0));
  EXPECT_NEAR(valued.mean_value(x).value(), (9 + 4 + 1 + 0) / 8. + 5 * cosines / 4, 1e-14);
  EXPECT_NEAR(valued.value(x, 3).value(), 5 * std::cos(3), 1e-15);
  EXPECT_FALSE(stream.has_exact_mean());
  EXPECT_FALSE(stream.mean_value(x));
  EXPECT_TRUE(AnyObjective(noisy({.additive = 1})).has_exact_mean()) << "Quadratic knows its mean";
  EXPECT_NE(AnyObjective(dense_model(SquaredLoss{})).as_linear_model(), nullptr);
}

}  // namespace
}  // namespace bridle
