// The judge: figures by hand, points it must refuse, confidence intervals.
#include "bridle/certify/certify.hpp"

#include <gtest/gtest.h>

#include "bridle/core/threads.hpp"
#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/problem/objectives/quadratic.hpp"
#include "bridle/problem/sets/sets.hpp"

#include "tests/properties.hpp"
#include "tests/tolerances.hpp"

namespace bridle {
namespace {

using test::vec;

// minimise (x - target)^2 / 2 subject to lower <= x <= upper as a row.
Problem on_a_line(double target, double lower, double upper) {
  Problem problem(Quadratic(test::sparse(Matrix::Identity(1, 1)), vec(-target)));
  problem.subject_to(Matrix::Ones(1, 1), vec(lower), vec(upper));
  return problem;
}

// f = x1^2 + 2 x2^2 - 2 x1 + x2 on [0, 2] x [-1, 1] with three rows.
Problem two_variables() {
  Problem problem(Quadratic(test::sparse(vec(2, 4).asDiagonal()), vec(-2, 1)));
  problem.within(Box(vec(0, -1), vec(2, 1)));
  Matrix rows(3, 2);
  rows << 1, 1, 2, -1, 1, 3;
  problem.subject_to(rows, vec(-infinity, 3, -5), vec(1, 3, -2), {"cap", "balance", "range"});
  return problem;
}

TEST(Certify, EveryFigureByHand) {
  // x = (2.3, -1) lies 0.3 outside X. A x = (1.3, 5.6, -0.7): violations 0.3 above cap, 2.6 above
  // balance, 1.3 above range. grad f = (2.6, -3). y = (0.5, -1, -0.2): A'y = (0.5 - 2 - 0.2, 0.5 + 1 - 0.6) =
  // (-1.7, 0.9).
  const Problem problem = two_variables();
  const Certificate c = certify(problem, vec(2.3, -1), vec(0.5, -1, -0.2));
  EXPECT_NEAR(c.objective, 2.3 * 2.3 + 2 - 4.6 - 1, 1e-14);
  EXPECT_EQ(c.objective_halfwidth, 0);
  EXPECT_NEAR(c.feasibility, std::sqrt(0.09 + 6.76 + 1.69), 1e-14);
  EXPECT_NEAR(c.max_violation, 2.6, 1e-14);
  EXPECT_EQ(c.worst_row, "balance");
  EXPECT_NEAR(c.set_distance, 0.3, 1e-14);
  EXPECT_NEAR(c.point_scale, 1 + std::sqrt(2.3 * 2.3 + 1), 1e-14);
  // |A x|^2 = 1.69 + 31.36 + 0.49 exceeds the broken bounds' 1 + 9 + 4.
  EXPECT_NEAR(c.feasibility_scale, 1 + std::sqrt(33.54), 1e-14);
  EXPECT_NEAR(c.stationarity_scale, 1 + std::sqrt(2.6 * 2.6 + 9), 1e-14);
  // grad + A'y = (0.9, -2.1); at (2, -1) the descent direction (-0.9, 2.1) points into X: distance^2 = 0.81
  // + 4.41. y3 < 0 belongs to the lower bound -5, a gap of 4.3 away: cheaper to drop, 0.04 more. y1, y2 sit
  // on broken bounds.
  EXPECT_NEAR(c.stationarity, std::sqrt(5.22 + 0.04), 1e-14);
  EXPECT_EQ(c.complementarity, 0);
  // Relative: feasibility 2.92/6.79 = 0.430, X 0.3/3.5, stationarity 2.2935/4.9699.
  EXPECT_NEAR(c.error(), std::sqrt(5.26) / (1 + std::sqrt(15.76)), 1e-14);
  EXPECT_NEAR(c.error(true), std::sqrt(8.54), 1e-14) << "feasibility is the largest absolute figure";
  EXPECT_EQ(c.multipliers, vec(0.5, -1, -0.2));
  EXPECT_TRUE(c.exact);
  EXPECT_FALSE(c.multipliers_improved);

  // At the corner (0, -1): A x = (-1, 1, -3), grad f = (-2, -3). y = (0, -1, -0.2): A'y = (-2.2, 0.4), the
  // descent direction (4.2, 2.6) points into X. y3 has a gap of 2 to its lower bound, which is less than the
  // stationarity in relative terms (2/4.3 < 4.9/4.6): it is kept.
  const Certificate d = certify(problem, vec(0, -1), vec(0, -1, -0.2));
  EXPECT_NEAR(d.stationarity, std::hypot(4.2, 2.6), 1e-14);
  EXPECT_NEAR(d.complementarity, 2, 1e-14);
  // y = (8, -1, 1): A'y = (7, 12), the descent direction (-5, -9) points out of X, whose normal cone absorbs
  // it. Gaps: 2 under y1 = 8, 1 under y3 = 1. Keeping y1 and dropping y3 costs max(1/14.9, 2/4.3), the least
  // of the choices.
  const Certificate e = certify(problem, vec(0, -1), vec(8, -1, 1));
  EXPECT_NEAR(e.stationarity, 1, 1e-14);
  EXPECT_NEAR(e.complementarity, 2, 1e-14);
}

TEST(Certify, ScaleOfFeasibility) {
  // A x = 0, the broken bound 100: relative violation 100/101.
  EXPECT_DOUBLE_EQ(certify(on_a_line(0, 100, 100), vec(0), vec(0)).feasibility_scale, 101);
  EXPECT_DOUBLE_EQ(certify(on_a_line(0, 100, 200), vec(0), vec(0)).feasibility_scale, 101);
  // A far bound that is not touched must not make the broken one look small.
  const Certificate c = certify(on_a_line(0, -1e9, 1), vec(2), vec(0));
  EXPECT_EQ(c.feasibility, 1);
  EXPECT_DOUBLE_EQ(c.feasibility_scale, 3);
  EXPECT_FALSE(c.holds(0.3));
  // An untouched row does not count.
  EXPECT_DOUBLE_EQ(certify(on_a_line(0, -1e9, 1e9), vec(2), vec(0)).feasibility_scale, 3);
}

// min (x - 1)^2/2 with -10 <= x: y = 1 at x = 0 makes the gradient of the Lagrangian 0, but the row is not
// touched.
TEST(Certify, RefusesAMultiplierOfAnUntouchedRow) {
  for (const double upper : {infinity, 20.0}) {
    const Problem problem = on_a_line(1, -10, upper);
    const Certificate wrong = certify(problem, vec(0), vec(1));
    EXPECT_EQ(wrong.stationarity, 1);
    EXPECT_EQ(wrong.error(true), 1);
    EXPECT_EQ(wrong.error(), 0.5);  // over 1 + max(|grad f|, |A'y|) = 2
    EXPECT_FALSE(certify(problem, vec(0), vec(1), {.improve_multipliers = true}).holds(0.49));
    EXPECT_EQ(certify(problem, vec(1), vec(0)).error(), 0);
    EXPECT_EQ(certify(problem, vec(1), vec(0), {.improve_multipliers = true}).error(), 0);
  }
}

TEST(Certify, Refuses) {
  struct Wrong {
    const char* what;
    Problem problem;
    double x, y, figure;  // the largest absolute figure
  };
  Problem boxed = on_a_line(1.5, -10, 10);
  boxed.within(Box(vec(0), vec(1)));
  const Wrong wrongs[] = {
      {"feasible, not stationary", on_a_line(2, -10, 10), 1, 0, 1},
      {"stationary, not feasible", on_a_line(2, -10, 1), 2, 0, 1},
      {"multiplier too small", on_a_line(2, -10, 1), 1, 0.5, 0.5},
      {"wrong sign, gradient 0: the minimum is inside", on_a_line(0, -10, 1), 1, -1, 1},
      {"wrong sign at a lower bound", on_a_line(0, -1, 10), -1, 1, 1},
      {"wrong sign", on_a_line(2, -10, 1), 1, -1, std::sqrt(5)},
      {"outside X, where f is least", boxed, 1.5, 0, 0.5},
      {"inside X, though the minimum is at its edge", boxed, 0.9, 0, 0.6},
  };
  for (const auto& [what, problem, x, y, figure] : wrongs) {
    const Certificate c = certify(problem, vec(x), vec(y));
    EXPECT_NEAR(c.error(true), figure, 1e-14) << what;
    EXPECT_FALSE(c.holds(0.1)) << what;
    EXPECT_FALSE(c.holds(0.1, true)) << what;
  }
  EXPECT_EQ(certify(boxed, vec(1), vec(0)).error(), 0);
  EXPECT_EQ(certify(on_a_line(2, -10, 1), vec(1), vec(1)).error(), 0);
  EXPECT_EQ(certify(on_a_line(-2, -1, 1), vec(-1), vec(-1)).error(), 0);
  EXPECT_EQ(certify(on_a_line(5, 2, 2), vec(2), vec(3)).error(), 0);
  EXPECT_EQ(certify(on_a_line(-5, 2, 2), vec(2), vec(-7)).error(), 0) << "either sign on an equality";
}

TEST(Certify, RefusesWhatIsNotFinite) {
  const Problem problem = two_variables();
  const double nan = std::nan("");
  for (const auto& [x, y] :
       {std::pair{vec(nan, 0), vec(0, 0, 0)}, std::pair{vec(0, infinity), vec(0, 0, 0)},
        std::pair{vec(0, 0), vec(0, nan, 0)}, std::pair{vec(0, 0), vec(0, 0, -infinity)}})
    for (const bool improve : {false, true}) {
      const Certificate c = certify(problem, x, y, {.improve_multipliers = improve});
      EXPECT_EQ(c.error(), infinity);
      EXPECT_FALSE(c.holds(1e300));
    }
  Problem overflow(Quadratic(test::sparse(Matrix::Constant(1, 1, 1e300)), vec(0)));
  EXPECT_FALSE(certify(overflow, vec(1e300), Vector(0)).holds(1e300));
}

TEST(Certify, InputErrors) {
  test::expect_contains(test::refusal([] { certify(two_variables(), vec(1), vec(0, 0, 0)); }),
                        "the point has 1 entries but the problem has 2 variables");
  test::expect_contains(test::refusal([] { certify(two_variables(), vec(1, 1), vec(0)); }),
                        "1 multipliers but the problem has 3 rows");
}

// min (x - 2)^2/2, x <= 1, a little off the bound: the gap is charged to complementarity, the multiplier is
// kept.
TEST(Certify, TinyGapsAreCharged) {
  const double gap = 1e-6;
  const Certificate c = certify(on_a_line(2, -infinity, 1), vec(1 - gap), vec(1 + gap));
  EXPECT_NEAR(c.complementarity, gap, 1e-15);
  EXPECT_NEAR(c.stationarity, 0, 1e-15);
  EXPECT_NEAR(c.error(), gap / c.feasibility_scale, 1e-15);
  EXPECT_EQ(c.feasibility, 0);
  // A tiny multiplier on a row with a large gap is charged to stationarity instead.
  const Certificate d = certify(on_a_line(0.5, -infinity, 1), vec(0.5), vec(1e-6));
  EXPECT_EQ(d.complementarity, 0);
  EXPECT_NEAR(d.stationarity, std::hypot(1e-6, 1e-6), 1e-18) << "left over in x, and in the slack";
}

// Each row is charged on its own: a large multiplier at a tiny gap, and a tiny multiplier at a large gap.
TEST(Certify, ChargesRowByRow) {
  Matrix swapped(2, 2);
  swapped << 0, 1, 1, 0;
  for (const Matrix& order : {Matrix(Matrix::Identity(2, 2)), swapped}) {
    Problem problem(Quadratic(test::sparse(Matrix::Identity(2, 2)), order * vec(-2, -1e-7)));
    problem.subject_to(Matrix(Matrix::Identity(2, 2)), vec(-infinity, -infinity), order * vec(1, 5));
    const Certificate c = certify(problem, order * vec(1 - 1e-8, 0), order * vec(1 + 1e-8, 1e-7));
    EXPECT_NEAR(c.complementarity, 1e-8, 1e-15);
    EXPECT_NEAR(c.stationarity, 1e-7, 1e-15);
  }
}

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
    EXPECT_EQ(together.stationarity, alone.stationarity);
    EXPECT_EQ(together.stationarity_halfwidth, alone.stationarity_halfwidth);
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
    covered += std::abs(c.stationarity - stationarity) <= c.stationarity_halfwidth;
    value_covered += std::abs(c.objective - objective) <= c.objective_halfwidth;
    // Standard deviation of the mean gradient sqrt(n/B), of the mean value |x|/sqrt B; their estimates are
    // within 20%.
    EXPECT_NEAR(c.stationarity_halfwidth, 2.645 * std::sqrt(static_cast<double>(x.size()) / batch),
                0.2 * c.stationarity_halfwidth);
    EXPECT_NEAR(c.objective_halfwidth, 1.96 * x.norm() / std::sqrt(batch), 0.2 * c.objective_halfwidth);
    EXPECT_GE(c.error(true), c.stationarity + c.stationarity_halfwidth - 1e-15) << "the upper end counts";
  }
  const int allowance = test::binomial_allowance(repetitions, 0.95, 1e-4);
  EXPECT_GE(covered, allowance);
  EXPECT_GE(value_covered, allowance);
}

TEST(Certify, ConfidenceIntervalsCover) {
  for (const Index n : {1, 5}) {
    const Problem problem(Stream5{Vector::Constant(n, 0.5)});
    const Vector x = Vector::LinSpaced(n, 1, 2);
    expect_coverage(problem, x, Vector(0), (x - Vector::Constant(n, 0.5)).norm());
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
  EXPECT_NEAR(c.stationarity, gradient.norm(), 1e-13);
  EXPECT_EQ(c.stationarity_halfwidth, 0);
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
