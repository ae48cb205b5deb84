// Which rows of a contradiction are named.
#include "bridle/run/smaller_conflict.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "bridle/finish/rays.hpp"
#include "bridle/problem/objectives/quadratic.hpp"
#include "bridle/problem/sets/sets.hpp"

#include "tests/run/planted_run.hpp"

namespace bridle {
namespace {

Problem over(const Matrix& rows, const Vector& lower, const Vector& upper, Names names, AnySet set) {
  Problem problem(
      Quadratic(test::sparse(Matrix::Identity(rows.cols(), rows.cols())), Vector::Zero(rows.cols())));
  problem.within(std::move(set));
  problem.subject_to(rows, lower, upper, std::move(names));
  return problem;
}

std::optional<Infeasibility> proof_of(const Problem& problem) {
  const auto least = contradiction(problem);
  return least ? prove_infeasible(problem, least->y) : std::nullopt;
}

Names sorted(Names names) {
  std::sort(names.begin(), names.end());
  return names;
}

// x1 + x3 <= 5 and x2 + x3 >= 7 with x2 <= 1 leave no point. Where they are broken least x1 + x2 >= 1.5 is
// broken too.
TEST(SmallerConflict, InnocentRowsAreNotNamed) {
  Matrix rows(3, 3);
  rows << 1, 1, 0, 1, 0, 1, 0, 1, 1;
  const Problem problem =
      over(rows, test::vec(1.5, -infinity, 7), test::vec(4, 5, infinity), {"keep", "up", "need"},
           Box(Vector::Zero(3), test::vec(infinity, 1, infinity)));
  const auto proof = proof_of(problem);
  ASSERT_TRUE(proof);
  ASSERT_EQ(proof->conflict.size(), 3U) << "nothing to do";
  const Infeasibility smaller = smaller_conflict(problem, *proof);
  EXPECT_EQ(sorted(smaller.conflict), (Names{"need", "up"}));
  EXPECT_EQ(smaller.ray[0], 0);
  EXPECT_TRUE(prove_infeasible(problem, smaller.ray));
}

// x_1 <= x_2 <= ... <= x_m <= x_1 - 1 takes all of its rows, however many; the same row said 40 times one
// only, but nobody looks that far.
TEST(SmallerConflict, WhatIsNeededStaysAndManyRowsAreLeftAlone) {
  for (const Index m : {5, 40}) {
    Matrix ring = Matrix::Zero(m, m);
    Names names;
    for (Index i = 0; i < m; ++i) {
      ring(i, i) = 1;
      ring(i, (i + 1) % m) = -1;
      names.push_back("r" + std::to_string(i));
    }
    Vector upper = Vector::Zero(m);
    upper[m - 1] = -1;
    const Vector none = Vector::Constant(m, -infinity);
    const Problem chain = over(ring, none, upper, names, Box(Vector::Zero(m), Vector::Ones(m)));
    const auto proof = proof_of(chain);
    ASSERT_TRUE(proof);
    EXPECT_EQ(smaller_conflict(chain, *proof).conflict.size(), static_cast<std::size_t>(m));
    const Problem same =
        over(Matrix::Ones(m, 2), none, Vector::Constant(m, -1), names, Box(test::vec(0, 0), test::vec(1, 1)));
    const auto all = proof_of(same);
    ASSERT_TRUE(all);
    EXPECT_EQ(smaller_conflict(same, *all).conflict.size(), m > 30 ? all->conflict.size() : 1U);
  }
}

// The rows of X have a part in it that is kept: x1 <= x2 against x1 - x2 >= 1.
TEST(SmallerConflict, RowsOfXKeepTheirPart) {
  Matrix rows(2, 2);
  rows << 1, -1, 1, 1;
  const Problem problem =
      over(rows, test::vec(1, 3), test::vec(infinity, infinity), {"apart", "large"}, OrderedCone(2));
  const auto proof = proof_of(problem);
  ASSERT_TRUE(proof);
  const Names named = smaller_conflict(problem, *proof).conflict;
  EXPECT_EQ(std::count(named.begin(), named.end(), "apart"), 1);
  EXPECT_EQ(std::count(named.begin(), named.end(), "large"), 0);
}

}  // namespace
}  // namespace bridle
