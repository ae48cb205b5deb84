#include "bridle/scaling/presolve.hpp"

#include <gtest/gtest.h>

#include "bridle/problem/objectives/quadratic.hpp"
#include "bridle/problem/sets/sets.hpp"

#include "tests/properties.hpp"

namespace bridle {
namespace {

using test::vec;

struct Row {
  double a, b, c, lower, upper;
};

Presolved presolved(const AnySet& set, const std::vector<Row>& list) {
  Problem problem(Quadratic(test::sparse(Matrix::Identity(3, 3)), Vector::Zero(3)));
  problem.within(set);
  for (const auto& [a, b, c, lower, upper] : list)
    problem.subject_to(Matrix{{a, b, c}}, vec(lower), vec(upper));
  return presolve(problem);
}

void expect_bounds(const Presolved& out, const Vector& lower, const Vector& upper) {
  ASSERT_TRUE(out.set.bounds());
  EXPECT_EQ(out.set.bounds()->lower, lower);
  EXPECT_EQ(out.set.bounds()->upper, upper);
}

TEST(Presolve, SingletonRowsBecomeBounds) {
  const auto out = presolved(WholeSpace(3), {
                                                {2, 0, 0, -4, 6},           // -2 <= x <= 3
                                                {0, -2, 0, -8, 6},          // -3 <= y <= 4
                                                {1, 1, 0, 0, 1},            // stays
                                                {0, 0, -0.5, -infinity, 1}  // z >= -2
                                            });
  expect_bounds(out, vec(-2, -3, -2), vec(3, 4, infinity));
  EXPECT_EQ(out.kept_rows, std::vector<Index>{2});
}

TEST(Presolve, BoundsOnlyTighten) {
  const Box box(vec(-1, -1, -1), vec(1, 1, 1));
  const auto out = presolved(box, {{1, 0, 0, -5, 0.5}, {1, 0, 0, -0.5, 9}, {0, 0, 1, -infinity, infinity}});
  expect_bounds(out, vec(-0.5, -1, -1), vec(0.5, 1, 1));
  EXPECT_TRUE(out.kept_rows.empty());
}

TEST(Presolve, AnEqualityFixesItsVariable) {
  const auto out = presolved(WholeSpace(3), {{0, -4, 0, 2, 2}});
  expect_bounds(out, vec(-infinity, -0.5, -infinity), vec(infinity, -0.5, infinity));
  EXPECT_TRUE(out.kept_rows.empty());
}

TEST(Presolve, ContradictionsStayRows) {
  const Box box(vec(0, 0, 0), vec(1, 1, 1));
  const auto out = presolved(box, {
                                      {2, 0, 0, 4, 6},    // x >= 2 contradicts x <= 1
                                      {0, 1, 0, 0.5, 3},  // y >= 1/2 is fine
                                      {0, 1, 0, 0, 0.2}   // y <= 0.2 contradicts the row before
                                  });
  expect_bounds(out, vec(0, 0.5, 0), vec(1, 1, 1));
  EXPECT_EQ(out.kept_rows, (std::vector<Index>{0, 2}));
}

TEST(Presolve, EmptyRows) {
  const auto out = presolved(WholeSpace(3), {{0, 0, 0, -1, 1}, {0, 0, 0, 1, 2}, {0, 0, 0, 0, 0}});
  EXPECT_EQ(out.kept_rows, std::vector<Index>{1}) << "only the one that cannot hold";
}

TEST(Presolve, SetsThatAreNoBoxKeepTheirRows) {
  const auto out = presolved(Simplex(3), {{1, 0, 0, 0.1, 0.5}, {1, 1, 0, 0, 1}});
  EXPECT_EQ(out.kept_rows, (std::vector<Index>{0, 1}));
  EXPECT_FALSE(out.set.bounds());
  const auto boxes =
      presolved(Product(3, {{{1}, Box(vec(0), vec(1))}}), {{0, 1, 0, 0.5, 9}, {0, 0, 1, 2, 2}});
  expect_bounds(boxes, vec(-infinity, 0.5, 2), vec(infinity, 1, 2));
}

TEST(Presolve, EqualitiesThatFollowFromOthersAreLeftOut) {
  const std::vector<Row> rows = {{1, 2, 0, 3, 3}, {0, 1, 1, 1, 1}, {0, 1, 2, -1, 4}};
  std::vector<Row> more = rows;
  more.push_back({2, 7, 3, 9, 9});  // twice the first and three times the second
  const Presolved out = presolved(WholeSpace(3), more);
  EXPECT_EQ(out.kept_rows.size(), 3U);
  ASSERT_EQ(out.dependent.size(), 1U);
  EXPECT_NE(out.dependent[0], 2) << "an inequality has a slack of its own";

  more.back().lower = more.back().upper = 9.1;  // contradicts them: stays, to be found infeasible
  EXPECT_EQ(presolved(WholeSpace(3), more).kept_rows.size(), 4U);
  EXPECT_TRUE(presolved(WholeSpace(3), rows).dependent.empty());
}

// Balance at the nodes of a complete graph is one row too many; with one coefficient off by 1e-6 it is not.
TEST(Presolve, RowsThatNearlyFollowStay) {
  constexpr Index nodes = 12;
  Matrix balance = Matrix::Zero(nodes, nodes * (nodes - 1) / 2);
  Index edge = 0;
  for (Index i = 0; i < nodes; ++i)
    for (Index j = i + 1; j < nodes; ++j, ++edge) {
      balance(i, edge) = 1;
      balance(j, edge) = -1;
    }
  const Vector right = balance * Vector::LinSpaced(edge, -1, 2);
  const auto dependent = [&](const Matrix& rows) {
    Problem problem(Quadratic(test::sparse(Matrix::Identity(edge, edge)), Vector::Zero(edge)));
    problem.subject_to(rows, right, right);
    return presolve(problem).dependent.size();
  };
  EXPECT_EQ(dependent(balance), 1U);
  balance(nodes - 1, edge - 1) += 1e-6;
  EXPECT_EQ(dependent(balance), 0U);
}

}  // namespace
}  // namespace bridle
