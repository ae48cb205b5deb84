// The judge of problems that are known through samples: confidence intervals, finite sums, missing values.
#include <gtest/gtest.h>

#include "bridle/certify/certify.hpp"
#include "bridle/core/threads.hpp"
#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/problem/sets/sets.hpp"

#include "tests/properties.hpp"
#include "tests/tolerances.hpp"

namespace bridle {
namespace {

using test::vec;

// grad f(x, xi) = x - target + e, f(x, xi) = |x - target|^2/2 + e'x, e standard normal: known through samples
// only.
struct Stream5 {
  Vector target;
  Index dimension() const { return target.size(); }
  static constexpr bool thread_safe = true;
  Index sample_count() const { return endless; }
  Vector noise(Sample sample) const {
    Vector e(target.size());
    Stream(sample, Purpose::noise).fill_normal(e, 0);
    return e;
  }
  void gradient(ConstVectorRef x, Sample sample, VectorRef out) const { out = x - target + noise(sample); }
  double value(ConstVectorRef x, Sample sample) const {
    return 0.5 * (x - target).squaredNorm() + noise(sample).dot(x);
  }
};

TEST(Certify, SameBitsOnAnyNumberOfThreads) {
  const Problem problem(Stream5{Vector::Constant(5, 0.5)});
  const Vector x = Vector::LinSpaced(5, 0, 1);
  const Certificate alone = certify(problem, x, Vector(0), {.batch = 5000});
  for (const unsigned threads : {2, 3}) {
    use_threads(threads);
    const Certificate together = certify(problem, x, Vector(0), {.batch = 5000});
    use_threads(1);
    EXPECT_EQ(together.stationarity.absolute, alone.stationarity.absolute);
    EXPECT_EQ(together.stationarity_halfwidth.absolute, alone.stationarity_halfwidth.absolute);
    EXPECT_EQ(together.objective, alone.objective);
    EXPECT_EQ(together.objective_halfwidth, alone.objective_halfwidth);
  }
}

// 95% intervals over 200 repetitions; fewer hits than the binomial allowance have probability below 1e-4.
void expect_coverage(const Problem& problem, const Vector& x, const Vector& y, double stationarity) {
  constexpr int repetitions = 200;
  constexpr Index batch = 400;
  const double objective = 0.5 * (x - Vector::Constant(x.size(), 0.5)).squaredNorm();
  int covered = 0, value_covered = 0;
  for (int k = 0; k < repetitions; ++k) {
    const Certificate c =
        certify(problem, x, y, {.batch = batch, .seed = 1000 + static_cast<std::uint64_t>(k)});
    EXPECT_FALSE(c.exact);
    EXPECT_EQ(c.gradients, batch);
    covered += std::abs(c.stationarity.absolute - stationarity) <= c.stationarity_halfwidth.absolute;
    value_covered += std::abs(c.objective - objective) <= c.objective_halfwidth;
    // Standard deviation of the mean gradient sqrt(n/B), of the mean value |x|/sqrt B; their estimates are
    // within 20%.
    EXPECT_NEAR(c.stationarity_halfwidth.absolute, 2.645 * std::sqrt(static_cast<double>(x.size()) / batch),
                0.2 * c.stationarity_halfwidth.absolute);
    EXPECT_NEAR(c.objective_halfwidth, 1.96 * x.norm() / std::sqrt(batch), 0.2 * c.objective_halfwidth);
    EXPECT_GE(c.error(), c.stationarity.relative + c.stationarity_halfwidth.relative - 1e-15)
        << "the upper end counts";
  }
  const int allowance = test::binomial_allowance(repetitions, 0.95, 1e-4);
  EXPECT_GE(covered, allowance);
  EXPECT_GE(value_covered, allowance);
}

TEST(Certify, ConfidenceIntervalsCover) {
  for (const Index n : {1, 5}) {
    const Problem problem(Stream5{Vector::Constant(n, 0.5)});
    const Vector x = Vector::LinSpaced(n, 1, 2);
    expect_coverage(problem, x, Vector(0), (x - Vector::Constant(n, 0.5)).maxCoeff());
  }
  // On a set and with a row, at a point that is stationary: x1 + x2 = 1, x3 >= 1; y = -1/2 ... of the first
  // two.
  Problem problem(Stream5{Vector::Constant(3, 0.5)});
  problem.within(Box(vec(-9, -9, 1), vec(9, 9, 9)));
  problem.subject_to(Matrix{{1, 1, 0}}, vec(3), vec(3));
  expect_coverage(problem, vec(1.5, 1.5, 1), vec(-1), 0);
}

TEST(Certify, FiniteSumsAreExact) {
  const Matrix data = test::random_matrix(50, 3, 1);
  const LinearModel model(DenseRows<double>(data), test::random_vector(50, 2), SquaredLoss{});
  const Vector x = test::random_vector(3, 3);
  Vector gradient(3);
  model.mean_gradient(x, gradient);
  const Certificate c = certify(Problem(model), x, Vector(0));
  EXPECT_TRUE(c.exact);
  EXPECT_EQ(c.gradients, 50);
  EXPECT_NEAR(c.stationarity.absolute, gradient.lpNorm<Eigen::Infinity>(), 1e-13);
  EXPECT_EQ(c.stationarity_halfwidth.relative, 0);
  EXPECT_NEAR(c.objective, model.mean_value(x), 1e-14);
}

struct WithoutValue {
  Index dimension() const { return 1; }
  Index sample_count() const { return 2; }
  void gradient(ConstVectorRef x, Sample i, VectorRef out) const { out[0] = x[0] - static_cast<double>(i); }
};

TEST(Certify, WithoutAValueFunction) {
  const Certificate c = certify(Problem(WithoutValue{}), vec(0.5), Vector(0));
  EXPECT_TRUE(std::isnan(c.objective));
  EXPECT_EQ(c.error(), 0);
}

}  // namespace
}  // namespace bridle
