// Runs that begin with a logistic one: Ctrl-C and the clock reach into it, and what it spent is told.
#include "bridle/run/logistic_start.hpp"

#include <gtest/gtest.h>

#include "bridle/certify/certify.hpp"
#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/run/solve.hpp"

#include "tests/properties.hpp"

namespace bridle {
namespace {

using test::random_matrix;
using test::random_vector;

constexpr Index samples = 2'000, n = 6;

// Labels that follow from a score with noise; the mean score is bounded.
Problem smoothed_problem() {
  const Matrix features = random_matrix(samples, n, 1);
  const Vector scores = features * random_vector(n, 2) + random_vector(samples, 3);
  const Vector labels = scores.unaryExpr([](double s) { return s > 0 ? 1.0 : -1.0; });
  Problem problem(LinearModel(DenseRows<double>(features), labels, SmoothedZeroOneLoss{}));
  problem.subject_to(Matrix(features.colwise().mean()), Vector::Constant(1, -0.1), Vector::Constant(1, 0.1));
  return problem;
}

class Impatient : public Observer {
 public:
  explicit Impatient(int after) : left_(after) {}
  bool interrupted() override { return left_-- <= 0; }

 private:
  int left_;
};

TEST(LogisticStart, HearsAnInterrupt) {
  const Problem problem = smoothed_problem();
  const SolveOptions options{.epochs = 1000, .tolerance = 0, .second_order = false};
  ASSERT_TRUE(wants_logistic_start(problem, options));
  Impatient at_once(0);
  SolveOptions rest = options;
  const LogisticStart start = logistic_start(problem, rest, at_once);
  EXPECT_LT(start.samples, 0.01 * 0.1 * 1000 * samples) << "a tenth of the budget was the start's";

  Impatient again(0);
  const Result result = solve(problem, options, &again);
  EXPECT_EQ(result.status, Status::interrupted);
  EXPECT_LT(result.samples, 0.01 * 1000 * samples);
  EXPECT_LT(certify(problem, result.x, result.y).error(), infinity);
}

// A clock that moves on by 10 ms whenever it is asked: the start ends within its tenth of the time, however
// many samples it was promised.
TEST(LogisticStart, HeedsTheClock) {
  const Problem problem = smoothed_problem();
  SolveOptions options{.epochs = 1e7, .tolerance = 0, .second_order = false};
  options.seconds = 20;
  auto now = std::make_shared<double>(0);
  options.clock = [now] { return *now += 0.01; };
  Nobody silent;
  const LogisticStart start = logistic_start(problem, options, silent);
  EXPECT_LE(*now, 0.1 * 20 + 0.1 * 20) << "its tenth, and the judge at the end";
  EXPECT_GT(start.samples, 0);
  EXPECT_LT(start.samples, 0.1 * 1e7 * samples);
  EXPECT_LE(options.seconds, 20 - 0.9 * start.phases.working_seconds()) << "what it took is no longer there";
}

// What the start spent is part of what the run says it spent.
TEST(LogisticStart, IsCharged) {
  const Problem problem = smoothed_problem();
  SolveOptions rest{.samples = 20'000, .tolerance = 0, .finish = false, .second_order = false};
  Nobody silent;
  const LogisticStart start = logistic_start(problem, rest, silent);
  EXPECT_GT(start.samples, 0);
  EXPECT_NEAR(rest.samples + start.samples, 20'000, 1);
  const Result result =
      solve(problem, {.samples = 20'000, .tolerance = 0, .finish = false, .second_order = false});
  EXPECT_GT(result.samples, rest.samples - samples);
  EXPECT_LE(result.samples, 20'000 + 1);
  EXPECT_LT(certify(problem, result.x, result.y).error(), infinity);
}

}  // namespace
}  // namespace bridle
