// Directions of endless fall: what they must accept, and what they must refuse.
#include "bridle/certify/unboundedness.hpp"

#include <gtest/gtest.h>

#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/problem/objectives/quadratic.hpp"
#include "bridle/problem/sets/sets.hpp"

#include "tests/properties.hpp"

namespace bridle {
namespace {

using test::vec;

Problem quadratic(const Vector& curvature, const Vector& cost) {
  return Problem(Quadratic(test::sparse(curvature.asDiagonal()), cost));
}

// min -x1 - x2 over x1 - x2 <= 1, x >= 0.
TEST(Unboundedness, LinearProgramByHand) {
  Problem problem = quadratic(vec(0, 0), vec(-1, -1));
  problem.within(Box(vec(0, 0), vec(infinity, infinity)));
  problem.subject_to(Matrix{{1, -1}}, vec(-infinity), vec(1));
  const auto proof = prove_unbounded(problem, vec(0, 0), vec(2, 2));
  ASSERT_TRUE(proof);
  EXPECT_EQ(proof->direction, vec(1, 1));
  EXPECT_EQ(proof->slope, -2);
  EXPECT_EQ(proof->variables, (Names{"x1", "x2"}));
  EXPECT_TRUE(prove_unbounded(problem, vec(0, 0), vec(0, 1)));
  EXPECT_FALSE(prove_unbounded(problem, vec(0, 0), vec(1, 0))) << "leaves the row";
  EXPECT_FALSE(prove_unbounded(problem, vec(0, 0), vec(-1, -1))) << "leaves the box";
  EXPECT_FALSE(prove_unbounded(problem, vec(0, 0), vec(0, 0)));
  problem.within(Box(vec(0, 0), vec(infinity, 1e9)));
  EXPECT_FALSE(prove_unbounded(problem, vec(0, 0), vec(1, 1))) << "there is a bound, if a far one";
}

TEST(Unboundedness, Curvature) {
  EXPECT_TRUE(prove_unbounded(quadratic(vec(1, 0), vec(0, -1)), vec(0, 0), vec(0, 1)));
  EXPECT_FALSE(prove_unbounded(quadratic(vec(1, 0), vec(0, -1)), vec(0, 0), vec(1, 1))) << "bends up";
  EXPECT_FALSE(prove_unbounded(quadratic(vec(1, 0), vec(0, 1)), vec(0, 0), vec(0, 1))) << "rises";
  EXPECT_FALSE(prove_unbounded(quadratic(vec(1, 0), vec(1, 0)), vec(0, 0), vec(0, 1))) << "is flat";
  EXPECT_TRUE(prove_unbounded(quadratic(vec(-1, 1), vec(1, 0)), vec(0, 0), vec(1, 0))) << "rises at first";
  EXPECT_FALSE(prove_unbounded(quadratic(vec(-1, 2), vec(0, 0)), vec(0, 0), vec(1, 1)));
}

// d'Qd = 1e-8 beside terms of 1e4: f ends at -5e7.
TEST(Unboundedness, LittleCurvatureIsCurvature) {
  const Problem problem(
      Quadratic(test::sparse(Matrix{{10000.00000001, -10000}, {-10000, 10000}}), vec(-1, 0)));
  EXPECT_FALSE(prove_unbounded(problem, vec(0, 0), vec(1, 1)));
  const Problem flat(Quadratic(test::sparse(Matrix{{10000, -10000}, {-10000, 10000}}), vec(-1, 0)));
  EXPECT_TRUE(prove_unbounded(flat, vec(0, 0), vec(1, 1)));
  EXPECT_TRUE(prove_unbounded(flat, vec(1e13, 1e13 - 1e9), vec(1, 1)))
      << "the slope is the cost's, far out too";
}

// Every number is exact: Q is positive definite, and f ends at -1/6.
TEST(Unboundedness, CurvatureCountsDownToItsOwnRounding) {
  const Problem problem(Quadratic(test::sparse(Matrix{{1e15, -1e15}, {-1e15, 1e15 + 3}}), vec(-1, 0)));
  EXPECT_FALSE(prove_unbounded(problem, vec(0, 0), vec(1, 1)));
  EXPECT_FALSE(prove_unbounded(problem, vec(0, 0), vec(1, 0.9999999999999988)));
}

// 1000 (x - y) + w <= 1 and x >= y, so w <= 1; x = y costs nothing and has no end, and rounding lets w grow
// by 1e-12 on the way.
TEST(Unboundedness, WhatDriftBuysIsNoFall) {
  Problem problem = quadratic(vec(0, 0, 0), vec(0, 0, -1));
  problem.subject_to(Matrix{{1000, -1000, 1}, {1, -1, 0}, {1, 0, -10}}, vec(-infinity, 0, 0),
                     vec(1, infinity, infinity));
  EXPECT_FALSE(prove_unbounded(problem, vec(0, 0, 0), vec(0.9999999999999993, 1, 1.617e-12)));
  // Without the second row w has no end, and what rounding leaves of that direction is worth nothing.
  Problem open = quadratic(vec(0, 0, 0), vec(0, 0, -1));
  open.subject_to(Matrix{{0.1, -0.1, 1}, {1, 0, -10}}, vec(-infinity, 0), vec(1, infinity));
  EXPECT_TRUE(prove_unbounded(open, vec(0, 0, 0), vec(1, 1.1, 0.01)));
}

// y = 1e12 x, y - w >= 0, x + y - w <= 5: w ends at 5e12.
TEST(Unboundedness, WhatRowsLeaveOfADirectionIsNoRounding) {
  Problem problem = quadratic(vec(0, 0, 0), vec(0, 0, -1));
  problem.within(Box(vec(0, -infinity, -infinity), Vector::Constant(3, infinity)));
  problem.subject_to(Matrix{{-1e12, 1, 0}, {0, 1, -1}, {1, 1, -1}}, vec(0, 0, -infinity),
                     vec(0, infinity, 5));
  EXPECT_FALSE(prove_unbounded(problem, vec(0, 0, 0), vec(1e-12, 1, 1)));
}

// Known by its values only.
struct Valued {
  double (*f)(double);
  Index dimension() const { return 1; }
  Index sample_count() const { return 1; }
  void gradient(ConstVectorRef x, Sample, VectorRef out) const { out[0] = f(x[0] + 0.5) - f(x[0] - 0.5); }
  double value(ConstVectorRef x, Sample) const { return f(x[0]); }
};

TEST(Unboundedness, ByValues) {
  EXPECT_TRUE(prove_unbounded(Problem(Valued{[](double x) { return -x; }}), vec(0), vec(1)));
  EXPECT_TRUE(prove_unbounded(Problem(Valued{[](double x) { return std::sin(x) - 2 * x; }}), vec(1), vec(1)));
  EXPECT_FALSE(prove_unbounded(Problem(Valued{[](double x) { return 1 / (1 + x); }}), vec(0), vec(1)));
  EXPECT_FALSE(prove_unbounded(Problem(Valued{[](double x) { return -std::log1p(x); }}), vec(0), vec(1)))
      << "falls for ever, but slower than can be told from its values";
  EXPECT_FALSE(prove_unbounded(Problem(Valued{[](double x) { return -std::sqrt(x); }}), vec(0), vec(-1)));
  EXPECT_FALSE(prove_unbounded(Problem(Valued{[](double x) { return x < 1e6 ? -x : x; }}), vec(0), vec(1)));
}

// A logistic loss on separable data falls for ever, but not without end.
TEST(Unboundedness, LossesAreBoundedBelow) {
  const LinearModel model(DenseRows<double>(Matrix{{1}, {-1}}), vec(1, -1), LogisticLoss{});
  EXPECT_FALSE(prove_unbounded(Problem(model), vec(0), vec(1)));
}

}  // namespace
}  // namespace bridle
