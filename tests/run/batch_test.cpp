// Runs whose steps take several samples, to share what a step costs besides them.
#include <gtest/gtest.h>

#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/run/solve.hpp"

#include "tests/properties.hpp"

namespace bridle {
namespace {

constexpr Index samples = 4000, n = 900;

// Monotone pairs over the first variables of a sparse logistic regression, and a dense row across.
Problem with_pairs(Index pairs, double ridge = 1e-3, double density = 0.01) {
  const Vector labels = (test::random_vector(samples, 2).array() > 0).select(Vector::Ones(samples), -1.0);
  Problem problem(LinearModel(SparseRows(test::random_sparse(samples, n, density, 1).sparseView()), labels,
                              LogisticLoss{}, ridge > 0 ? Vector(Vector::Constant(n, ridge)) : Vector()));
  Matrix rows = Matrix::Zero(pairs + 1, n);
  rows.row(0) = test::random_vector(n, 3).transpose();
  for (Index k = 0; k < pairs; ++k) {
    rows(k + 1, 2 * k) = 1;
    rows(k + 1, 2 * k + 1) = -1;
  }
  problem.subject_to(rows, Vector::Constant(pairs + 1, -infinity), Vector::Zero(pairs + 1));
  return problem;
}

SolveOptions loop_alone(double epochs) {
  SolveOptions out;
  out.epochs = epochs;
  out.tolerance = 0;
  out.finish = out.second_order = false;
  return out;
}

const Reason* find(const Result& result, const std::string& symbol) {
  for (const Reason& reason : result.reasons)
    if (reason.symbol == symbol) return &reason;
  return nullptr;
}

TEST(BatchOfARun, IsChosenWhereRowsMakeStepsDearAndSaid) {
  const Problem problem = with_pairs(200);
  const Result result = solve(problem, loop_alone(4));
  const Reason* batch = find(result, "K");
  ASSERT_TRUE(batch);
  EXPECT_GT(batch->value, 1);
  EXPECT_NEAR(batch->value * static_cast<double>(result.iterations), 4 * samples, batch->value);
  ASSERT_TRUE(find(result, "touched"));
  EXPECT_NEAR(find(result, "touched")->value, 800 + batch->value * 0.01 * n, batch->value);

  // The same as saying it, to the last bit.
  SolveOptions said = loop_alone(4);
  said.batch = static_cast<Index>(batch->value);
  const Result again = solve(problem, said);
  EXPECT_EQ(again.x, result.x);
  EXPECT_FALSE(find(again, "K")) << "that was not chosen";
}

// Samples of nine nonzeros share what a step waits for; the next test has samples of 180.
TEST(BatchOfARun, IsAFewWhereSamplesAreShort) {
  const Result result = solve(with_pairs(0), loop_alone(2));
  const Reason* K = find(result, "K");
  ASSERT_TRUE(K);
  EXPECT_GE(K->value, 2);
  EXPECT_LE(K->value, 8) << "a pass has 500 steps";
}

// A worker's share of 500 samples is 500 steps of one.
TEST(BatchOfARun, LeavesEveryWorkerStepsEnough) {
  SolveOptions options = loop_alone(2);
  options.workers = 8;
  EXPECT_FALSE(find(solve(with_pairs(0), options), "K"));
}

TEST(BatchOfARun, IsOneWhereSamplesAreMostOfAStep) {
  const Problem problem = with_pairs(0, 0, 0.2);
  const Result result = solve(problem, loop_alone(2));
  EXPECT_FALSE(find(result, "K"));
  EXPECT_EQ(result.iterations, 2 * samples);
}

TEST(BatchOfARun, IsWhatWasSaid) {
  SolveOptions one = loop_alone(2);
  one.batch = 1;
  const Result result = solve(with_pairs(200), one);
  EXPECT_EQ(result.phases[Phase::loop].sample_gradients, static_cast<double>(result.iterations));
  EXPECT_FALSE(find(result, "K"));
}

// After as many samples the point is as good: what a larger step gains makes up for there being fewer of
// them.
TEST(BatchOfARun, GetsAsFarWithAsManySamples) {
  const Problem problem = with_pairs(200);
  SolveOptions sharp;
  const double best = solve(problem, sharp).certificate.objective;
  for (const double epochs : {3.0, 20.0}) {
    SolveOptions one = loop_alone(epochs);
    one.batch = 1;
    const Result single = solve(problem, one), chosen = solve(problem, loop_alone(epochs));
    EXPECT_LE(chosen.certificate.objective - best, 1.1 * (single.certificate.objective - best) + 1e-5)
        << epochs;
    EXPECT_LE(chosen.certificate.feasibility.relative, 1e-4) << epochs;
  }
}

}  // namespace
}  // namespace bridle
