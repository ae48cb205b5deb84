// What rows leave of variables, and what a small push is worth on the way there.
#include "bridle/certify/implied_bounds.hpp"

#include <gtest/gtest.h>

#include "bridle/certify/certify.hpp"
#include "bridle/problem/objectives/quadratic.hpp"
#include "bridle/problem/sets/sets.hpp"

#include "tests/properties.hpp"

namespace bridle {
namespace {

using test::vec;

Problem linear(const Vector& cost, const Vector& lower, const Vector& upper) {
  const Index n = cost.size();
  Problem out(Quadratic(test::sparse(Matrix::Zero(n, n)), cost));
  out.within(Box(lower, upper));
  return out;
}

// x1 = 2 x2, x3 <= x1 + 1, x4 - x5 <= 1.
TEST(ImpliedBounds, ByRowsWhoseOtherVariablesHaveAnEnd) {
  const Vector endless = Vector::Constant(5, infinity);
  Vector lower = -endless, upper = endless;
  lower[1] = 0;
  upper[1] = 5;
  Problem problem = linear(Vector::Zero(5), lower, upper);
  problem.subject_to(Matrix{{1, -2, 0, 0, 0}, {-1, 0, 1, 0, 0}, {0, 0, 0, 1, -1}},
                     vec(0, -infinity, -infinity), vec(0, 1, 1));
  const Bounds left = implied_bounds(problem.rows(), {lower, upper});
  EXPECT_EQ(left.lower, (Vector{{0, 0, -infinity, -infinity, -infinity}}));
  EXPECT_EQ(left.upper, (Vector{{10, 5, 11, infinity, infinity}}));
}

// k + t - s = 1, s = (1 - 1e-6) t, 0 <= t <= 1e12: at t = 0 f = k is 1, and falls to -999,999. Multipliers
// leave a push of 1e-6 on t, or on s, for which a row has an end.
TEST(ImpliedBounds, ALittlePushCountsWithTheWayThatIsLeft) {
  const double share = 1 - 1e-6;
  Problem problem = linear(vec(1, 0, 0), vec(-infinity, 0, -infinity), vec(infinity, 1e12, infinity));
  problem.subject_to(Matrix{{1, 1, -1}, {0, -share, 1}}, vec(1, 0), vec(1, 0));
  EXPECT_GT(certify(problem, vec(1, 0, 0), vec(-1, -1)).error(), 0.1);
  EXPECT_GT(certify(problem, vec(1, 0, 0), vec(-1, -1 / share)).error(), 0.1);
  const double far = share * 1e12;
  EXPECT_LE(certify(problem, vec(1 - 1e12 + far, 1e12, far), vec(-1, -1)).error(), 1e-9);
  Problem near = linear(vec(1, 0, 0), vec(-infinity, 0, -infinity), vec(infinity, 1, infinity));
  near.subject_to(Matrix{{1, 1, -1}, {0, -share, 1}}, vec(1, 0), vec(1, 0));
  EXPECT_LE(certify(near, vec(1, 0, 0), vec(-1, -1)).error(), 1e-5) << "a millionth is all that f can fall";
}

}  // namespace
}  // namespace bridle
