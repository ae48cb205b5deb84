// The theory's formulas against arithmetic done by hand, and the schedules.
#include "bridle/params/theory.hpp"

#include <Eigen/LU>
#include <Eigen/SVD>
#include <gtest/gtest.h>

#include "bridle/params/stage_walk.hpp"

#include "tests/properties.hpp"

namespace bridle {
namespace {

constexpr TheoryConstants example{
    .smoothness = 2, .mean_smoothness = 3, .row_norm = 2, .error_bound = 0.5, .rho = 1.5};

TEST(Theory, MuAndLambda) {
  EXPECT_EQ(theory_mu(example), 8);                       // 4 * 2
  EXPECT_EQ(theory_mu({.smoothness = 0.4}), 2);           // max(2, 1.6)
  EXPECT_EQ(TheoryFormulas(example).lambda.value(), 16);  // 2 + 1.5 * 2^2 + 8
}

// M = 3 + 2 * 4^2 / 2 + 10 * 2^2 / 2 = 39; (7 * 39 + 1) / 0.5.
TEST(Theory, DualBoundByHand) {
  const SafeguardConstants c{
      .largest_value = 3, .lowest_value = -1, .diameter = 4, .largest_residual = 2, .slater = 0.5};
  EXPECT_DOUBLE_EQ(theory_dual_bound(c, 2, 10), 548);
}

TEST(Theory, PlainByHand) {
  const Parameters p = theory_plain(example, 10'000);
  EXPECT_EQ(p.mu, 8);
  EXPECT_EQ(p.rho, 1.5);
  EXPECT_EQ(p.alpha, 1);
  // tau = 1/(6 * 16^2 * 100) = 1/153600.
  EXPECT_DOUBLE_EQ(p.tau, 1 / 153600.);
  // 2 mu + rho |A|^2 = 22. eta = min(22/(4 * 16), tau/(200 * 4), 22 tau/(20 * 4)) = min(0.34, tau/800, 0.275
  // tau).
  EXPECT_DOUBLE_EQ(p.eta, 1 / 122'880'000.);
  // beta = min(tau/100, 1/(50 * 16), eta/(36 * 8 * 0.25)) = min(tau/100, 1/800, eta/72).
  EXPECT_DOUBLE_EQ(p.beta, 1 / (72 * 122'880'000.));
}

// The other terms of the minima: a large |A| with rho = 0, and a small sbar.
TEST(Theory, PlainOtherTerms) {
  // L_f = 1/2: mu = 2, lambda = 2.5, T = 1: tau = 1/37.5. 2 mu = 4, |A| = 100:
  // eta = min(4/(4e8) = 1e-8, tau/(2e6) = 1.33e-8, ...) = 1e-8; beta: eta/(36 * 2 * 1e-12) = 139 > tau/100.
  const Parameters p = theory_plain({0.5, 0.5, 100, 1e-6, 0}, 1);
  EXPECT_DOUBLE_EQ(p.tau, 1 / 37.5);
  EXPECT_DOUBLE_EQ(p.eta, 1e-8);
  EXPECT_DOUBLE_EQ(p.beta, 1 / 3750.);
  const Parameters without_rows = theory_plain({0.5, 0.5, 0, 1, 1}, 4);
  EXPECT_DOUBLE_EQ(without_rows.tau, 1 / 75.);
  EXPECT_TRUE(std::isfinite(without_rows.eta) && without_rows.eta > 0);
}

TEST(Theory, StormByHand) {
  const Parameters p = theory_storm(example, 1000);
  // min(1/(4 * 16 + 8 * 8) = 1/128, 1/sqrt(48 (9 + 4)) = 1/24.98) / 10.
  EXPECT_DOUBLE_EQ(p.tau, 1 / 1280.);
  // eta = min(tau/800, 0.275 tau, 22/64, (8 - 2)^2 tau/16).
  EXPECT_DOUBLE_EQ(p.eta, 1 / 1'024'000.);
  // beta = min(tau/100, 1/50, eta/72).
  EXPECT_DOUBLE_EQ(p.beta, 1 / (72 * 1'024'000.));
  EXPECT_DOUBLE_EQ(p.alpha, 624 / (1280. * 1280.));
  // L_0 = 100: 1/sqrt(48 (10^4 + 4)) = 1/692.96... is the smaller cap; alpha = 48 (10^4 + 4) tau^2 =
  // T^(-2/3).
  TheoryConstants rough = example;
  rough.mean_smoothness = 100;
  EXPECT_DOUBLE_EQ(theory_storm(rough, 1000).tau, 0.1 / std::sqrt(480'192.));
  EXPECT_DOUBLE_EQ(theory_storm(rough, 1000).alpha, 0.01);
  EXPECT_LE(theory_storm(rough, 1).alpha, 1);
}

TEST(Theory, ScalesWithTheNumberOfIterations) {
  EXPECT_DOUBLE_EQ(theory_plain(example, 1e4).tau, 10 * theory_plain(example, 1e6).tau);
  EXPECT_DOUBLE_EQ(theory_storm(example, 1e3).tau, 10 * theory_storm(example, 1e6).tau);
}

// |x*(y,z) - xbar(z)| <= sbar |A x*(y,z) - b| on quadratics over R^n, where both points are linear systems.
TEST(Theory, UnconstrainedErrorBoundHolds) {
  EXPECT_DOUBLE_EQ(unconstrained_error_bound(2, 8, 0.5), 10. / 3);  // (2 + 8)/((8 - 2) 0.5)
  double tightest = 0;
  for (std::uint64_t k = 0; k < 20; ++k) {
    const Index n = 6, m = 3;
    const Vector spectrum = test::vec(2, 1, 0.5, -0.5, -1, -2);
    const double mu = 8, rho = 1.5, smoothness = 2;
    const Matrix H = test::with_spectrum(spectrum, 10 + k) + mu * Matrix::Identity(n, n),
                 A = test::random_matrix(m, n, 40 + k);
    const Vector z = test::random_vector(n, 70 + k), y = test::random_vector(m, 100 + k),
                 b = test::random_vector(m, 130 + k);
    Matrix kkt = Matrix::Zero(n + m, n + m);
    kkt << H, A.transpose(), A, Matrix::Zero(m, m);
    Vector right(n + m);
    right << mu * z, b;
    const Vector constrained = kkt.fullPivLu().solve(right).head(n);
    const Vector penalised =
        (H + rho * A.transpose() * A).fullPivLu().solve(mu * z - A.transpose() * y + rho * A.transpose() * b);
    const double smallest = Eigen::JacobiSVD<Matrix>(A).singularValues().minCoeff();
    const double ratio = (penalised - constrained).norm() / (A * penalised - b).norm();
    EXPECT_LE(ratio, unconstrained_error_bound(smoothness, mu, smallest));
    tightest = std::max(tightest, ratio / unconstrained_error_bound(smoothness, mu, smallest));
  }
  EXPECT_GE(tightest, 0.2) << "a bound far from being attained would be another formula";
}

TEST(Schedule, Factors) {
  struct Hand {
    Schedule schedule;
    double first, middle, last;
  };
  const Hand hands[] = {
      {{Decay::constant}, 1, 1, 1},
      {{Decay::linear}, 1, 0.5, 0},
      {{Decay::cosine}, 1, 0.5, 0},
      {{Decay::inverse_sqrt}, 1, 1 / std::sqrt(51), 1 / std::sqrt(101)},
      {{Decay::geometric, 0, 1, 0.01}, 1, 0.5 * 0.1, 0},
      {{Decay::linear, 0.25, 0.75}, 0.75, 0.5, 0.25},
      {{Decay::geometric, 0.5, 1, 1e-4}, 0.5 * 1e-2, 0.25 * 1e-3, 0},
  };
  for (const auto& [schedule, first, middle, last] : hands) {
    EXPECT_NEAR(schedule.factor(0, 1000), first, 1e-15) << to_string(schedule.decay);
    EXPECT_NEAR(schedule.factor(500, 1000), middle, 1e-15) << to_string(schedule.decay);
    EXPECT_NEAR(schedule.factor(1000, 1000), last, 1e-15) << to_string(schedule.decay);
  }
  // Consecutive stages join: the end of one is the beginning of the next.
  const Schedule one{Decay::geometric, 0, 0.5, 0.01}, two{Decay::geometric, 0.5, 1, 0.01};
  EXPECT_NEAR(one.factor(300, 300), two.factor(0, 700), 1e-15);
}

TEST(Schedule, NeverGrowsAndStaysInTheUnitInterval) {
  for (const Decay decay : all_decays) {
    const Schedule schedule{decay, 0, 1, 0.1};
    double before = 1;
    for (std::uint64_t t = 0; t < 100; ++t) {
      const double factor = schedule.factor(t, 100);
      EXPECT_LE(factor, before) << to_string(decay);
      EXPECT_GT(factor, 0) << to_string(decay);
      before = factor;
    }
  }
}

// The walk is the schedule but for the rounding of 64 rotations, and the same bits wherever it begins.
TEST(StageWalk, IsTheSchedule) {
  for (const Decay decay : all_decays) {
    const Stage stage{{.tau = 1}, {decay, 0.1, 0.9, 0.01}, 1000};
    StageWalk walk(stage, 0);
    for (std::uint64_t t = 0; t < stage.iterations; ++t) {
      const double tau = walk.next().tau;
      EXPECT_NEAR(tau, stage.at(t).tau, 64 * 1e-16) << to_string(decay) << " at " << t;
      EXPECT_EQ(StageWalk(stage, t).next().tau, tau) << to_string(decay) << " at " << t;
    }
  }
}

// Steps shrink, weights stay; beta is a convex combination whatever the user gives.
TEST(Stage, ParametersOfAnIteration) {
  const Parameters p{.tau = 2, .eta = 4, .beta = 3, .mu = 5, .rho = 7, .alpha = 1};
  const Stage stage{p, {Decay::linear}, 10};
  EXPECT_DOUBLE_EQ(stage.at(5).tau, 1);
  EXPECT_DOUBLE_EQ(stage.at(5).eta, 2);
  EXPECT_DOUBLE_EQ(stage.at(8).beta, 0.6);
  EXPECT_DOUBLE_EQ(stage.at(0).beta, 0.9);
  EXPECT_DOUBLE_EQ(stage.at(5).mu, 5);
  EXPECT_DOUBLE_EQ(stage.at(5).rho, 7);
  EXPECT_DOUBLE_EQ(stage.at(5).alpha, 1);
}

// A penalty that grows: tau rho stays what it was until rho is as large as it may become.
TEST(Stage, PenaltyGrowsAsStepsShrink) {
  const Parameters p{.tau = 2, .eta = 4, .beta = 3, .mu = 5, .rho = 7, .alpha = 1};
  const Stage stage{p, {.decay = Decay::linear, .penalty_growth = 4}, 100};
  for (const std::uint64_t t : {0, 30, 60, 75}) EXPECT_DOUBLE_EQ(stage.at(t).tau * stage.at(t).rho, 14) << t;
  EXPECT_DOUBLE_EQ(stage.at(90).rho, 28);
  EXPECT_DOUBLE_EQ(stage.at(100).rho, 28) << "where the steps are 0";
  EXPECT_DOUBLE_EQ(stage.at(60).mu, 5);
}

}  // namespace
}  // namespace bridle
