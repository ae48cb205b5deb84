// The judge of objectives that do not tell their curvature: no point far out passes because it is far out.
#include <gtest/gtest.h>

#include "bridle/certify/certify.hpp"

#include "tests/properties.hpp"
#include "tests/support/bowl.hpp"

namespace bridle {
namespace {

using test::Bowl;
using test::vec;

double error_at(const Bowl& bowl, const Vector& x) { return certify(Problem{bowl}, x, Vector(0)).error(); }

TEST(Callables, FarPointsAreNotStationary) {
  for (const double far : {1.0, 1e4, 1e6, 1e8}) {
    const Bowl bowl{vec(1, 1, 1), far * vec(1, 2, 3)};
    EXPECT_GT(error_at(bowl, 0.975 * bowl.target), 1e-3) << far;
    EXPECT_GT(error_at(bowl, 0.5 * bowl.target), 0.05) << far;
    EXPECT_LE(error_at(bowl, bowl.target), 1e-15) << far;
    EXPECT_LE(error_at(bowl, (1 - 1e-9) * bowl.target), 1e-8) << far;
  }
  // A minimum near 0, looked at from far away; and a function that falls without end.
  EXPECT_GT(error_at({vec(1, 1), vec(1, 1)}, vec(7.6e7, 7.6e7)), 0.1);
  EXPECT_GT(error_at({vec(1, 1), vec(0, 0)}, vec(1e5, 1e5)), 0.1);
  EXPECT_GT(error_at({vec(-1, -1), vec(0, 0)}, vec(6e6, 6e6)), 0.1);
  EXPECT_GT(error_at({vec(1, -1), vec(0, 0)}, vec(1, 6e6)), 0.1);
}

TEST(Callables, ACommonFactorOfTheVariablesChangesNothing) {
  const Bowl one{vec(1, 3), vec(2, -1)};
  const double error = error_at(one, vec(2.01, -1.02));
  for (const double factor : {1e-6, 1e3, 1e9}) {
    const Bowl other{one.weight / (factor * factor), factor * one.target};
    EXPECT_NEAR(error_at(other, factor * vec(2.01, -1.02)), error, 1e-10 * error) << factor;
  }
}

// Where a slope vanishes at 0 and at the minimum, what f bends elsewhere is its scale.
TEST(Callables, AMinimumAtZeroInOneVariableIsSeen) {
  const Bowl bowl{vec(1, 1), vec(1, 0)};
  EXPECT_LE(error_at(bowl, vec(1, 1e-9)), 2e-9);
  EXPECT_GT(error_at(bowl, vec(1, 1e-2)), 5e-3);
}

}  // namespace
}  // namespace bridle
