#include "bridle/finish/finish.hpp"

#include <gtest/gtest.h>

#include "bridle/certify/certify.hpp"

#include "tests/finish/sets.hpp"
#include "tests/planted.hpp"

namespace bridle {
namespace {

using test::random_vector;
using test::vec;

constexpr Index n = test::finish_dimension;

class FinishTest : public testing::TestWithParam<test::FinishSet> {};
INSTANTIATE_TEST_SUITE_P(Sets, FinishTest, testing::ValuesIn(test::finish_sets()),
                         [](const auto& test) { return test.param.name; });

// From a rough point near a planted solution the finish must reach a sharp one, at a cost within its
// allowance.
TEST_P(FinishTest, PolishesARoughPoint) {
  for (const bool redundant : {false, true}) {
    const auto planted = test::plant(GetParam().set, Vector::LinSpaced(n, 0.5, 5), {2, 3, 3, redundant}, 77);
    const Problem& problem = planted.problem;
    int gradients = 0;
    Candidate best;
    double least = infinity;
    const Vector rough = planted.x + random_vector(n, 20, 0.01);
    finish(
        problem, {rough, rough, planted.y + random_vector(planted.y.size(), 21, 0.1), Vector::Ones(n), 5},
        1e-9,
        [&](const Vector& at, Vector& out) {
          problem.objective().mean_gradient(at, out);
          return ++gradients < 60;
        },
        [&](const Candidate& candidate) {
          const double error =
              certify(problem, candidate.x, candidate.y, {.improve_multipliers = true}).error();
          if (error < least) least = error, best = candidate;
          return error;
        });
    EXPECT_LE(gradients, 60);
    EXPECT_LE((best.x - planted.x).norm(), 1e-6) << "strictly convex, so that there is one solution";
    EXPECT_LE(certify(problem, best.x, best.y, {.improve_multipliers = true}).error(), 1e-9);
  }
}

// Without a description of the set there is nothing to project on, and the judge knows x and z already.
TEST(Finish, ShowsNothingWhenItCannotProject) {
  Problem problem(Quadratic(test::sparse(Matrix::Identity(2, 2)), vec(-1, 0)));
  problem.within(L1Ball(2, 5));
  const int projections = finish(
      problem, {vec(0.9, 0), vec(0.8, 0), Vector(0), Vector::Ones(2), 1}, 1e-9,
      [](const Vector&, Vector&) {
        ADD_FAILURE() << "no gradient is needed";
        return false;
      },
      [&](const Candidate& candidate) {
        ADD_FAILURE() << "there is nothing to show";
        return certify(problem, candidate.x, candidate.y).error();
      });
  EXPECT_EQ(projections, 0);
}

// A projection that is good enough ends it.
TEST(Finish, StopsAtOnceWhenTheGoalIsMet) {
  Problem problem(Quadratic(test::sparse(Matrix::Identity(2, 2)), vec(-1, 0)));
  int shown = 0;
  const int projections = finish(
      problem, {vec(1, 0), vec(0, 0), Vector(0), Vector::Ones(2), 1}, 1e-9,
      [](const Vector&, Vector&) {
        ADD_FAILURE() << "no gradient is needed";
        return false;
      },
      [&](const Candidate&) { return ++shown, 0.0; });
  EXPECT_EQ(shown, 1);
  EXPECT_EQ(projections, 1);
}

}  // namespace
}  // namespace bridle
