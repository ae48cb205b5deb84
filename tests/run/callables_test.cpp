// Runs on functions that tell their gradient and value and nothing else.
#include <gtest/gtest.h>

#include "bridle/run/solve.hpp"

#include "tests/properties.hpp"
#include "tests/support/bowl.hpp"

namespace bridle {
namespace {

using test::Bowl;
using test::vec;

TEST(Callables, RunsFromZeroToFarTargetsEndThere) {
  const Bowl bowl{vec(1, 1, 1), 1e6 * vec(1, 2, 3)};
  const Result result = solve(Problem{bowl}, {});
  ASSERT_TRUE(result.certified()) << result.full_report();
  EXPECT_LE((result.x - bowl.target).norm(), 1e-3 * bowl.target.norm());
}

// Told to go on until certified, it must not say so.
TEST(Callables, FallsWithoutEndAreNotCertified) {
  for (const Vector& weight : {vec(-1, -1), vec(1, -1)}) {
    Problem problem{Bowl{weight, vec(0, 0)}};
    problem.start_from(vec(1, 1));
    EXPECT_FALSE(solve(problem, {.samples = 20'000}).certified());
  }
}

}  // namespace
}  // namespace bridle
