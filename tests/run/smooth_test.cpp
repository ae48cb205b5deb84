// Runs of problems with smooth rows, each judged.
#include <filesystem>

#include <gtest/gtest.h>

#include "bridle/certify/certify.hpp"
#include "bridle/problem/constraints/mean_constraint.hpp"
#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/problem/objectives/quadratic.hpp"
#include "bridle/run/solve.hpp"

#include "tests/properties.hpp"
#include "tests/support/hock_schittkowski.hpp"

namespace bridle {
namespace {

using hock_schittkowski::Gradients;
using test::vec;

double relative_distance(double value, double optimum) {
  return std::abs(value - optimum) / std::max(1.0, std::abs(optimum));
}

TEST(Smooth, PublishedOptimaOfHockAndSchittkowski) {
  for (const int number : {6, 7, 10, 11, 12, 14, 22, 29, 39, 43, 71, 100, 113}) {
    const auto [name, optimum, best_known, problem] = hock_schittkowski::instance(number);
    const Result result = solve(problem);
    EXPECT_EQ(result.status, Status::stationary) << number;
    EXPECT_EQ(result.y.size(), problem.row_count());
    EXPECT_LE(certify(problem, result.x, result.y).error(), 1e-6) << number;
    // Published with ten digits, found to 1e-6 of stationarity.
    EXPECT_LE(relative_distance(result.objective(), optimum), 1e-5) << number;
  }
}

TEST(Smooth, NoisyGradientsOfAKnownMean) {
  for (const int number : {12, 29, 43}) {
    const auto [name, optimum, best_known, problem] = hock_schittkowski::instance(number, Gradients::noisy);
    SolveOptions options;
    options.samples = 20'000;
    const Result result = solve(problem, options);
    EXPECT_LE(certify(problem, result.x, result.y).error(), 1e-4) << number;
    EXPECT_LE(relative_distance(result.objective(), optimum), 1e-3) << number;
  }
}

// minimise |x - (2, 2)|^2 / 2 within the unit circle: at (1, 1) / sqrt 2.
struct Circle {
  Index dimension() const { return 2; }
  Index count() const { return 1; }
  void value(ConstVectorRef x, VectorRef out) const { out[0] = x.squaredNorm(); }
  void jacobian(ConstVectorRef x, Matrix& out) const { out.row(0) = 2 * x.transpose(); }
};
Problem nearest_on_a_circle() {
  Problem problem(Quadratic(test::sparse(Matrix::Identity(2, 2)), vec(-2, -2)));
  problem.subject_to_smooth(Circle{}, vec(-infinity), vec(1), {"circle"});
  return problem;
}

TEST(Smooth, TheLoopAloneFollowsTheRows) {
  SolveOptions options;
  options.finish = false;
  options.samples = 20'000;
  for (const char* algorithm : {"smoothed", "storm"}) {
    options.algorithm = algorithm;
    const Result result = solve(nearest_on_a_circle(), options);
    EXPECT_LE(result.certificate.error(), 1e-6) << algorithm;  // without noise it converges linearly
    EXPECT_FALSE(result.second_order.ran);
    EXPECT_NEAR(result.x[0], std::sqrt(0.5), 1e-5);
    EXPECT_NEAR(result.y[0], (2 - std::sqrt(0.5)) / std::sqrt(2), 1e-4);
    EXPECT_EQ(result.row_names, Names{"circle"});
  }
}

TEST(Smooth, WithoutSecondOrderStepsThePolishEnds) {
  SolveOptions options;
  options.second_order = false;
  options.samples = 5000;
  const Result result = solve(nearest_on_a_circle(), options);
  EXPECT_LE(certify(nearest_on_a_circle(), result.x, result.y).error(), 1e-4);
}

// The mean over samples of a smooth step of their score, a rate.
struct Rate {
  Matrix samples;
  Index dimension() const { return samples.cols(); }
  Index count() const { return 1; }
  Index sample_count() const { return samples.rows(); }
  void add(ConstVectorRef x, Sample sample, VectorRef value, Matrix* slope) const {
    const auto row = samples.row(static_cast<Index>(sample));
    const double s = 1 / (1 + std::exp(-row.dot(x)));
    value[0] += s;
    if (slope) slope->row(0) += s * (1 - s) * row;
  }
};

Problem with_bounded_rate(double most) {
  constexpr Index samples = 400, n = 4;
  const Matrix data = test::random_matrix(samples, n, 1);
  Vector labels(samples);
  for (Index i = 0; i < samples; ++i) labels[i] = data(i, 0) + 0.5 * data(i, 1) + 0.7 > 0 ? 1 : -1;
  Matrix shifted = data;
  shifted.col(3).setOnes();
  Problem problem(LinearModel(DenseRows<double>(shifted), labels, LogisticLoss{}, Vector::Constant(n, 1e-3)));
  problem.subject_to_smooth(MeanConstraint(Rate{shifted}), vec(0), vec(most), {"rate"});
  return problem;
}

TEST(Smooth, ARateOverDataIsMet) {
  const Problem problem = with_bounded_rate(0.5);
  const Result free = solve(with_bounded_rate(1));
  EXPECT_GT(problem.smooth_rows().value(free.x)[0], 0.6) << "the bound would not matter";
  const Result result = solve(problem);
  EXPECT_EQ(result.status, Status::stationary);
  EXPECT_LE(certify(problem, result.x, result.y).error(), 1e-6);
  EXPECT_GT(result.y[0], 0);
  EXPECT_NEAR(problem.smooth_rows().value(result.x)[0], 0.5, 1e-6);
}

TEST(Smooth, TheLoopAloneMeetsARateOverData) {
  SolveOptions options;
  options.finish = false;
  options.epochs = 60;
  const Problem problem = with_bounded_rate(0.5);
  const Result result = solve(problem, options);
  EXPECT_LE(certify(problem, result.x, result.y, {.improve_multipliers = true}).error(), 0.02);
}

TEST(Smooth, AResumedRunEndsWithTheSameBits) {
  const std::string file = (std::filesystem::temp_directory_path() / "bridle_smooth.checkpoint").string();
  std::filesystem::remove(file);
  SolveOptions options;
  options.epochs = 20;
  options.finish = false;
  options.tolerance = 0;
  const Problem problem = with_bounded_rate(0.5);
  const Result whole = solve(problem, options);
  struct Stopper : Observer {
    int left = 30;
    bool interrupted() override { return --left < 0; }
  } stopper;
  options.checkpoint = file;
  const Result broken_off = solve(problem, options, &stopper);
  EXPECT_EQ(broken_off.status, Status::interrupted);
  EXPECT_LT(broken_off.iterations, whole.iterations);
  ASSERT_TRUE(std::filesystem::exists(file));
  options.resume = true;
  const Result resumed = solve(problem, options);
  EXPECT_EQ(resumed.x, whole.x);
  EXPECT_EQ(resumed.iterations, whole.iterations);
  std::filesystem::remove(file);
}

TEST(Smooth, ABudgetBelowOnePassGoesStraightToSecondOrderSteps) {
  const Problem problem = with_bounded_rate(0.5);
  const Result first = solve(problem);
  Problem warm = with_bounded_rate(0.49);
  warm.start_from(first.x);
  SolveOptions options;
  options.samples = 1;
  options.start_multipliers = first.y;
  const Result result = solve(warm, options);
  EXPECT_EQ(result.iterations, 0);
  EXPECT_EQ(result.status, Status::stationary);
  EXPECT_LE(result.second_order.iterations, 6);
  EXPECT_LE(certify(warm, result.x, result.y).error(), 1e-6);
}

TEST(Smooth, AStreamKnownThroughSamplesOnly) {
  const auto [number, optimum, best_known, exact] = hock_schittkowski::instance(12);
  const Problem stream = hock_schittkowski::instance(12, Gradients::samples_only, 0.01).problem;
  SolveOptions options;
  options.samples = 20'000;
  const Result result = solve(stream, options);
  // Batches of 300 samples with noise of a hundredth of the gradient's size: about 1e-3.
  EXPECT_LE(certify(exact, result.x, result.y, {.improve_multipliers = true}).error(), 5e-3);
}

// log x1 + log x2, nowhere at the origin.
struct Logarithms {
  Index dimension() const { return 2; }
  Index count() const { return 1; }
  void value(ConstVectorRef x, VectorRef out) const { out[0] = std::log(x[0]) + std::log(x[1]); }
  void jacobian(ConstVectorRef x, Matrix& out) const { out.row(0) << 1 / x[0], 1 / x[1]; }
};

TEST(Smooth, StartsWhereRowsAreFinite) {
  Problem problem(Quadratic(test::sparse(Matrix::Identity(2, 2)), vec(0, 0)));
  problem.subject_to_smooth(Logarithms{}, vec(0), vec(infinity), {"growth"});
  test::expect_contains(test::refusal([&] { solve(problem); }), "'growth'");
  problem.start_from(vec(3, 0.1));
  const Result result = solve(problem);  // (1, 1)
  EXPECT_LE(certify(problem, result.x, result.y).error(), 1e-6);
  EXPECT_NEAR(result.objective(), 1, 1e-6);
}

}  // namespace
}  // namespace bridle
