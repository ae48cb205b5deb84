// Second-order steps for rows that bend.
#include "bridle/second/smooth_phase.hpp"

#include <gtest/gtest.h>

#include "bridle/certify/certify.hpp"
#include "bridle/problem/constraints/quadratic_rows.hpp"
#include "bridle/problem/objectives/quadratic.hpp"
#include "bridle/problem/sets/sets.hpp"
#include "bridle/second/improve.hpp"

#include "tests/properties.hpp"

namespace bridle::second {
namespace {

using test::vec;

// lower <= x1^2 + x2^2 <= upper.
QuadraticRows disc() {
  QuadraticRows out(2);
  out.add_ball({0, 1}, vec(0, 0));
  return out;
}
Problem over_a_disc(const Matrix& square, const Vector& cost, double lower, double upper) {
  Problem problem(Quadratic(test::sparse(square), cost));
  problem.subject_to_smooth(disc(), vec(lower), vec(upper));
  return problem;
}

TEST(SmoothPhase, ConvergesInAFewStepsAndTheJudgeAgrees) {
  const Problem problem = over_a_disc(Matrix::Identity(2, 2), vec(-2, -2), -infinity, 1);
  for (const Vector& start : {vec(0, 0), vec(5, -3), vec(1, 0)}) {
    const Outcome outcome = improve(problem, {start});
    EXPECT_EQ(outcome.end, End::converged);
    EXPECT_LE(outcome.spent.iterations, 12);
    EXPECT_LE(certify(problem, outcome.x, outcome.multipliers).error(), 1e-8);
    test::expect_near(outcome.x, std::sqrt(0.5) * vec(1, 1), 1e-7);
  }
}

// Powell's example of the Maratos effect: 2 (x1^2 + x2^2 - 1) - x1 on the unit circle. Whole steps from
// points on the circle raise both f and the violation; without a correction the merit refuses all of them.
TEST(SmoothPhase, BendsOfRowsDoNotShortenSteps) {
  const Problem problem = over_a_disc(4 * Matrix::Identity(2, 2), vec(-1, 0), 1, 1);
  const Outcome outcome = improve(problem, {vec(std::cos(0.8), std::sin(0.8))});
  EXPECT_EQ(outcome.end, End::converged);
  EXPECT_LE(outcome.spent.iterations, 10);
  test::expect_near(outcome.x, vec(1, 0), 1e-7);
}

TEST(SmoothPhase, NegativeCurvatureEndsAtTheBoundOfTheDisc) {
  Matrix square(2, 2);
  square << -1, 0, 0, -2;
  const Problem problem = over_a_disc(square, vec(0.1, 0.1), -infinity, 4);
  const Outcome outcome = improve(problem, {vec(0.3, 0.2)});
  EXPECT_EQ(outcome.end, End::converged);
  EXPECT_NEAR(outcome.x.squaredNorm(), 4, 1e-7);
  EXPECT_LE(certify(problem, outcome.x, outcome.multipliers).error(), 1e-8);
}

TEST(SmoothPhase, LinearRowsAndBoundsBesideThem) {
  Problem problem = over_a_disc(Matrix::Zero(2, 2), vec(-1, -1), -infinity, 1);
  problem.subject_to(Matrix(vec(1, -1).transpose()), vec(0.5), vec(0.5));
  problem.within(Box(vec(-infinity, 0), vec(infinity, infinity)));
  const Outcome outcome = improve(problem, {vec(-3, -3)});
  EXPECT_EQ(outcome.end, End::converged);
  EXPECT_EQ(outcome.multipliers.size(), 2);
  const double b = (-0.5 + std::sqrt(1.75)) / 2;  // 2 b^2 + b + 1/4 = 1
  test::expect_near(outcome.x, vec(b + 0.5, b), 1e-7);
}

TEST(SmoothPhase, WhatCannotBeMetIsMetAsWellAsCanBe) {
  const Problem problem = over_a_disc(Matrix::Identity(2, 2), vec(-1, 0), -infinity, -1);
  const Outcome outcome = improve(problem, {vec(2, 1)});
  EXPECT_NE(outcome.end, End::converged);
  EXPECT_LT(outcome.x.norm(), 0.05);
  EXPECT_TRUE(outcome.x.allFinite());
}

TEST(SmoothPhase, StopsWhenItIsTold) {
  const Problem problem = over_a_disc(Matrix::Identity(2, 2), vec(-2, -2), -infinity, 1);
  Options options;
  options.stop = [] { return true; };
  EXPECT_EQ(improve(problem, {vec(5, -3)}, options).end, End::stopped);
}

// 1 / x1, not finite at 0 and of the other sign beyond: steps that lead there are refused.
struct Inverse {
  Index dimension() const { return 1; }
  Index count() const { return 1; }
  void value(ConstVectorRef x, VectorRef out) const { out[0] = x[0] > 0 ? 1 / x[0] : std::nan(""); }
  void jacobian(ConstVectorRef x, Matrix& out) const { out(0, 0) = -1 / (x[0] * x[0]); }
};

TEST(SmoothPhase, StepsToWhereRowsAreNotFiniteAreRefused) {
  Problem problem(Quadratic(test::sparse(Matrix::Identity(1, 1)), vec(0)));
  problem.subject_to_smooth(Inverse{}, vec(-infinity), vec(4));
  const Outcome outcome = improve(problem, {vec(10)});
  EXPECT_EQ(outcome.end, End::converged);
  EXPECT_NEAR(outcome.x[0], 0.25, 1e-8);
}

TEST(SmoothPhase, SaysWhereItDoesNotApply) {
  EXPECT_TRUE(applies(over_a_disc(Matrix::Identity(2, 2), vec(0, 0), 0, 1)));
  Problem ball = over_a_disc(Matrix::Identity(2, 2), vec(0, 0), 0, 1);
  ball.within(L1Ball(2, 1));
  EXPECT_FALSE(applies(ball));
  Problem large(Quadratic(SparseColumns(Matrix::Identity(501, 501).sparseView()), Vector::Zero(501)));
  QuadraticRows rows(501);
  rows.add_ball({0}, vec(0));
  large.subject_to_smooth(rows, vec(0), vec(1));
  EXPECT_FALSE(applies(large));
}

}  // namespace
}  // namespace bridle::second
