// What errors are measured against: sizes, and prices of what costs nothing.
#include <gtest/gtest.h>

#include "bridle/certify/certify.hpp"
#include "bridle/problem/objectives/quadratic.hpp"
#include "bridle/problem/sets/sets.hpp"

#include "tests/properties.hpp"

namespace bridle {
namespace {

using test::vec;

// A variable of a simplex shares a row with one of 1e13: the row gives it a size of 5e13, the set one of 1.
TEST(Scales, NoVariableIsLargerThanItsSetLetsItBe) {
  Problem problem(Quadratic(test::sparse(Matrix::Zero(3, 3)), vec(1, 0, 0)));
  problem.within(Product(3, {{{0, 1}, Simplex(2)}, {{2}, Box(vec(1e13), vec(1e14))}}));
  Matrix row(1, 3);
  row << 1, 0, 1;
  problem.subject_to(row, vec(-infinity), vec(5e13));
  EXPECT_GT(certify(problem, vec(0.5, 0.5, 1e13), vec(0)).stationarity.relative, 0.4);
  EXPECT_LT(certify(problem, vec(0, 1, 1e13), vec(0)).error(), 1e-12);
}

TEST(Scales, AVariableWithoutACostIsWorthWhatItsCheapestRowPays) {
  // x3 has no cost and is in the rows of x1, which costs 1, and of x2, which costs 1e8: f falls by 1 for each
  // unit that x3 grows while x2 stays at 0.
  Problem problem(Quadratic(test::sparse(Matrix::Zero(3, 3)), vec(1, 1e8, 0)));
  problem.within(Box(vec(-infinity, 0, -infinity), vec(infinity, infinity, infinity)));
  Matrix rows(2, 3);
  rows << 1, 0, 1, 0, 1, 1;
  problem.subject_to(rows, vec(0, 0), vec(infinity, infinity));
  EXPECT_DOUBLE_EQ(certify(problem, vec(0, 0, 0), vec(-1, 0)).stationarity.relative, 1);
}

// x = z1 = z2 with -100 <= z2, and rows that each z shares with a slack that costs 1e7: x = 0 is not the
// minimum, -100 is. What z2 is worth is what x costs, two rows away, and not what the slack does.
TEST(Scales, WhatCostsNothingIsPricedByTheCheapestWay) {
  Problem problem(Quadratic(test::sparse(Matrix::Zero(4, 4)), vec(1, 0, 0, 1e7)));
  problem.within(Box(vec(-infinity, -infinity, -100, 0), vec(infinity, infinity, 100, infinity)));
  Matrix rows(4, 4);  // x, z1, z2, slack
  rows << 1, -1, 0, 0, 0, 1, -1, 0, 0, 1, 0, 1, 0, 0, 1, 1;
  problem.subject_to(rows, vec(0, 0, -1000, -1000), vec(0, 0, infinity, infinity));
  EXPECT_DOUBLE_EQ(certify(problem, vec(0, 0, 0, 0), vec(-1, -1, 0, 0)).stationarity.relative, 1);
  EXPECT_LT(certify(problem, vec(-100, -100, -100, 0), vec(-1, -1, 0, 0)).error(), 1e-14);
}

// s_t+1 = 0.97 s_t + 0.1 u_t: a cost on the last state only, a hundred rows away from the first.
TEST(Scales, AChainWithoutCostsMayBeLong) {
  const Index steps = 100;
  const auto state = [](Index t) { return 2 * t; };
  Vector cost = Vector::Zero(2 * steps + 1), y(steps), least = Vector::Constant(2 * steps + 1, -infinity);
  Matrix rows = Matrix::Zero(steps, 2 * steps + 1);
  cost[state(steps)] = 1;
  least[0] = 1;
  for (Index t = 0; t < steps; ++t) {
    rows(t, state(t + 1)) = 1;
    rows(t, state(t)) = -0.97;
    rows(t, state(t) + 1) = -0.1;
    least[state(t) + 1] = 0;
    y[t] = -std::pow(0.97, static_cast<double>(steps - 1 - t));
  }
  Problem problem(Quadratic(test::sparse(Matrix::Zero(cost.size(), cost.size())), cost));
  problem.within(Box(least, Vector::Constant(cost.size(), infinity)));
  problem.subject_to(rows, Vector::Zero(steps), Vector::Zero(steps));
  Vector x = Vector::Zero(cost.size());
  for (Index t = 0; t <= steps; ++t) x[state(t)] = std::pow(0.97, static_cast<double>(t));
  EXPECT_LT(certify(problem, x, y).error(), 1e-13);
  EXPECT_GT(certify(problem, x, Vector::Zero(steps)).error(), 0.9);
}

TEST(Scales, AConstantChangesNothing) {
  const auto judged = [](double constant) {
    Problem problem(Quadratic(test::sparse(Matrix::Identity(2, 2)), vec(1, 1), constant));
    problem.within(Box(vec(0, 0), vec(2, 2)));
    return certify(problem, vec(1e-4, 0), Vector());
  };
  const Certificate plain = judged(0);
  EXPECT_GT(plain.error(), 0);
  for (const double constant : {1e10, -1e20}) EXPECT_EQ(judged(constant).error(), plain.error()) << constant;
}

TEST(Scales, ABlockOffItsSetIsNotStationary) {
  Problem problem(Quadratic(test::sparse(Matrix::Zero(3, 3)), vec(0, 0, 1)));
  problem.within(Product(3, {{{0, 1}, Simplex(2)}}));
  problem.subject_to(Matrix::Ones(1, 3), vec(-infinity), vec(3));
  EXPECT_GT(certify(problem, vec(0.9, 0.9, 0), vec(0)).stationarity.relative, 0.3);
}

}  // namespace
}  // namespace bridle
