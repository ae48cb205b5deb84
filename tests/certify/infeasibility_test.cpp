// Proofs of infeasibility by hand: what they must accept, and what they must refuse.
#include "bridle/certify/infeasibility.hpp"

#include <gtest/gtest.h>

#include "bridle/problem/objectives/quadratic.hpp"
#include "bridle/problem/sets/sets.hpp"

#include "tests/properties.hpp"

namespace bridle {
namespace {

using test::vec;

Problem with_rows(AnySet set, const Matrix& rows, const Vector& lower, const Vector& upper) {
  const Index n = rows.cols();
  Problem problem(Quadratic(test::sparse(Matrix::Identity(n, n)), Vector::Zero(n)));
  problem.within(std::move(set));
  problem.subject_to(rows, lower, upper);
  return problem;
}

// x1 + x2 = 3 over [0, 1]^2: y = -1 gives min -x1 - x2 = -2 against -3.
TEST(Infeasibility, BoxByHand) {
  const auto problem = with_rows(Box(Vector::Zero(2), Vector::Ones(2)), Matrix::Ones(1, 2), vec(3), vec(3));
  const auto proof = prove_infeasible(problem, vec(-5));
  ASSERT_TRUE(proof);
  EXPECT_NEAR(proof->margin, 1 / std::sqrt(2.0), 1e-12);  // rows of unit length
  EXPECT_EQ(proof->reach, infinity);
  ASSERT_EQ(proof->conflict.size(), 1u);
  EXPECT_FALSE(prove_infeasible(problem, vec(5)));  // the wrong side
  EXPECT_FALSE(prove_infeasible(problem, vec(0)));
  EXPECT_FALSE(prove_infeasible(problem, vec(std::nan(""))));
}

// x1 + x2 >= 3 and x1 + x2 <= 2 with free variables: only y = (-1, 1) will do, and only as far as rounding
// allows.
TEST(Infeasibility, FreeVariablesNeedCancellation) {
  const Matrix rows{{1, 1}, {1, 1}, {1, 0}};
  const auto problem =
      with_rows(WholeSpace(2), rows, vec(3, -infinity, -infinity), vec(infinity, 2, infinity));
  const auto proof = prove_infeasible(problem, vec(-1, 1, 0));
  ASSERT_TRUE(proof);
  EXPECT_GT(proof->reach, 1e12);
  EXPECT_EQ(proof->conflict.size(), 2u);
  EXPECT_FALSE(prove_infeasible(problem, vec(-1, 1.001, 0))) << "true for small points only";
}

// Feasible, but only at 1e15: nothing within any reach of the row's own size is proved.
TEST(Infeasibility, TheReachFollowsTheRightHandSides) {
  const auto problem = with_rows(WholeSpace(2), Matrix{{1, 1e-30}}, vec(1e15), vec(infinity));
  for (const double y : {-1.0, 1.0, -1e15}) EXPECT_FALSE(prove_infeasible(problem, vec(y)));
  // x1 - x2 >= 1 and x1 - (1 - 1e-9) x2 <= 0 meet at x2 = 1e9 only.
  const auto far =
      with_rows(WholeSpace(2), Matrix{{1, -1}, {1, -(1 - 1e-9)}}, vec(1, -infinity), vec(infinity, 0));
  EXPECT_FALSE(prove_infeasible(far, vec(-1, 1)));
}

// Feasible at x1 = 2^36 (doubles, exactly): the weights of x1 add up to 1.9e-11 of 2e4, which no rounding of
// y explains.
TEST(Infeasibility, WhatIsLeftOfAPriceMayBeTheData) {
  const Matrix rows{{1, -1, 0, 0, 0},
                    {10000, 1, -1, 0, 0},
                    {-10000, 0, 1, -1, 0},
                    {-1, 0, 0, 1, 1},
                    {1.9e-11, 0, 0, 0, -1}};
  const Vector lower{{1, 0, 0, 0, 0}}, upper{{infinity, 0, infinity, infinity, 0}};
  EXPECT_FALSE(prove_infeasible(with_rows(WholeSpace(5), rows, lower, upper), -Vector::Ones(5)));
  Matrix without = rows;
  without(4, 0) = 0;
  const auto proof = prove_infeasible(with_rows(WholeSpace(5), without, lower, upper), -Vector::Ones(5));
  ASSERT_TRUE(proof);
  EXPECT_EQ(proof->conflict.size(), 5u);
}

// A price that is not just rounding proves nothing, however small the variable seems: x1 = x2 in [1, 2].
TEST(Infeasibility, PricesOfUnboundedVariablesMustVanish) {
  const auto problem = with_rows(Box(vec(-infinity, 1), vec(infinity, 2)), Matrix{{1, -1}, {1, 0}},
                                 vec(0, 1e-13), vec(0, infinity));
  for (const double y : {-1.0, 1.0}) EXPECT_FALSE(prove_infeasible(problem, vec(y, 0)));
}

// y = 1e12 x, y - w = 0, x + y - w = 5: w = 5e12. What the prices leave of x looks like the rounding of 1e12.
TEST(Infeasibility, WhatPricesLeaveIsNoRounding) {
  const auto problem = with_rows(Box(vec(0, -infinity, -infinity), Vector::Constant(3, infinity)),
                                 Matrix{{-1e12, 1, 0}, {0, 1, -1}, {1, 1, -1}}, vec(0, 0, 5), vec(0, 0, 5));
  for (const double x : {1e-12, -1e-12}) EXPECT_FALSE(prove_infeasible(problem, vec(x, 1, -1)));
  EXPECT_FALSE(prove_infeasible(problem, vec(0, 1, -1)));
}

// Rows of any length: the proof of x1 + x2 >= 1 against x1 + x2 <= 0.5.
TEST(Infeasibility, RowsInAnyUnit) {
  for (const double unit : {1e-12, 1e-4, 1.0, 1e7, 1e12}) {
    const auto problem =
        with_rows(WholeSpace(2), Matrix{{1, 1}, {unit, unit}}, vec(1, -infinity), vec(infinity, 0.5 * unit));
    EXPECT_TRUE(prove_infeasible(problem, vec(-1, 1 / unit))) << unit;
  }
}

// Touching is no contradiction: x <= 1 and x >= 1.
TEST(Infeasibility, TouchingRowsAreFeasible) {
  const Matrix rows{{1, 1}, {1, 1}};
  const auto problem = with_rows(WholeSpace(2), rows, vec(1, -infinity), vec(infinity, 1));
  EXPECT_FALSE(prove_infeasible(problem, vec(-1, 1)));
}

// The simplex takes part with its own row: x1 + x2 = 1 against x1 + x2 >= 1.5.
TEST(Infeasibility, RowsOfTheSetTakePart) {
  const auto problem = with_rows(Simplex(2), Matrix::Ones(1, 2), vec(1.5), vec(infinity));
  const auto proof = prove_infeasible(problem, vec(-1, 1));
  ASSERT_TRUE(proof);
  EXPECT_EQ(proof->conflict.size(), 2u);
  EXPECT_FALSE(prove_infeasible(problem, vec(-1)));  // over x >= 0 alone there is no contradiction
}

// No y proves a feasible problem infeasible.
TEST(Infeasibility, FeasibleProblemsAreSafe) {
  for (std::uint64_t k = 0; k < 50; ++k) {
    const Matrix rows = test::random_sparse(6, 5, 0.6, 100 + k);
    const Vector inside = test::random_vector(5, 200 + k).cwiseMax(-1).cwiseMin(1), activity = rows * inside;
    const auto problem = with_rows(Box(Vector::Constant(5, -1), Vector::Ones(5)), rows,
                                   activity.array() - 0.01 * double(k % 3), activity);
    for (std::uint64_t t = 0; t < 50; ++t)
      EXPECT_FALSE(prove_infeasible(problem, test::random_vector(6, 1000 * k + t)));
  }
}

}  // namespace
}  // namespace bridle
