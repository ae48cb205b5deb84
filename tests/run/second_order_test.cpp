// A run that ends with second-order steps: sharper for less, said by whom, and never worse without them.
#include <memory>

#include <gtest/gtest.h>

#include "bridle/certify/certify.hpp"
#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/problem/objectives/quadratic.hpp"
#include "bridle/problem/sets/sets.hpp"
#include "bridle/run/solve.hpp"

#include "tests/planted.hpp"

namespace bridle {
namespace {

using test::random_vector;

constexpr Index n = 8, samples = 600;

LinearModel model_with(Loss loss) {
  const Matrix data = test::random_matrix(samples, n, 4);
  const Vector truth = random_vector(n, 5), noise = random_vector(samples, 6);
  Vector labels(samples);
  for (Index i = 0; i < samples; ++i) labels[i] = data.row(i).dot(truth) + 0.5 * noise[i] > 0 ? 1 : -1;
  return {DenseRows<double>(data), labels, loss};
}

Problem problem_with(AnyObjective objective) {
  Problem problem(std::move(objective));
  problem.within(Box(Vector::Constant(n, -0.8), Vector::Constant(n, 0.9)));
  problem.subject_to(test::random_matrix(2, n, 3), Vector::Constant(2, -0.1), Vector::Constant(2, 0.1));
  return problem;
}

TEST(SecondOrder, EndsARunSharplyAfterOnePass) {
  const Problem problem = problem_with(model_with(LogisticLoss{}));
  const Result result = solve(problem);
  EXPECT_EQ(result.status, Status::stationary) << result.full_report();
  EXPECT_EQ(result.tolerance, 1e-6) << "what is expected where the phase ends the run";
  EXPECT_EQ(result.found_by, FoundBy::second_order);
  EXPECT_LE(certify(problem, result.x, result.y).error(), 1e-6);
  EXPECT_EQ(result.iterations, 5000u) << "the loop finds the basin";
  EXPECT_EQ(solve(problem, {.epochs = 30}).x, result.x) << "to say the default changes nothing";
  EXPECT_FALSE(solve(problem, {.samples = 100}).second_order.ran) << "not one pass over the data";
  EXPECT_TRUE(result.second_order.ran);
  EXPECT_LE(result.second_order.iterations, 20);
}

TEST(SecondOrder, LeftOutLeavesTheLoopAndThePolish) {
  const Problem problem = problem_with(model_with(LogisticLoss{}));
  const Result result = solve(problem, {.second_order = false});
  EXPECT_EQ(result.tolerance, 1e-4);
  EXPECT_FALSE(result.second_order.ran);
  EXPECT_NE(result.found_by, FoundBy::second_order);
  EXPECT_LE(certify(problem, result.x, result.y).error(), 1e-2) << result.full_report();
  EXPECT_EQ(solve(problem, {.finish = false}).second_order.ran, false) << "no finish: the loop's own";
}

TEST(SecondOrder, NonconvexLossesEndNoHigher) {
  const Problem problem = problem_with(model_with(LogisticDifferenceLoss{}));
  const Result with = solve(problem, {.tolerance = 1e-6});
  const Result without = solve(problem, {.tolerance = 1e-6, .second_order = false});
  EXPECT_EQ(with.status, Status::stationary) << with.full_report();
  EXPECT_LE(certify(problem, with.x, with.y).error(), 1e-6);
  EXPECT_LE(with.objective(), without.objective() + 1e-3 * std::abs(without.objective()));
}

// Curvature that is not a number: the phase gives up at once, and the loop goes on with what is left.
struct LyingHessian {
  LinearModel model;

  Index dimension() const { return model.dimension(); }
  Index sample_count() const { return model.sample_count(); }
  void gradient(ConstVectorRef x, Sample s, VectorRef out) const { model.gradient(x, s, out); }
  double value(ConstVectorRef x, Sample s) const { return model.value(x, s); }
  void hessian(ConstVectorRef, Matrix& out) const { out = Matrix::Constant(n, n, std::nan("")); }
};

TEST(SecondOrder, WhereItFailsTheLoopGoesOn) {
  const Problem problem = problem_with(LyingHessian{model_with(LogisticLoss{})});
  const Result result = solve(problem, {.epochs = 1000});
  EXPECT_TRUE(result.second_order.ran);
  EXPECT_NE(result.found_by, FoundBy::second_order);
  EXPECT_GT(result.iterations, 100'000u) << result.full_report();
  EXPECT_EQ(result.tolerance, 1e-4) << "no more is expected than of any run without it";
  EXPECT_LE(certify(problem, result.x, result.y).error(), 1e-2) << result.full_report();
}

// Where the loop starts on a saddle, its gradient is 0 and the judge content: the phase looks further.
TEST(SecondOrder, SaddlesThatTheLoopCertifiesAreLeft) {
  Matrix hessian = Matrix::Zero(2, 2);
  hessian(0, 0) = 1;
  hessian(1, 1) = -1;
  Problem problem{Quadratic(SparseColumns(hessian.sparseView()), Vector::Zero(2))};
  problem.within(Box(Vector::Constant(2, -1), Vector::Constant(2, 1)));
  const Result result = solve(problem);
  EXPECT_EQ(result.status, Status::stationary) << result.full_report();
  EXPECT_EQ(result.found_by, FoundBy::second_order);
  EXPECT_EQ(result.second_order.saddles_left, 1);
  EXPECT_NEAR(result.objective(), -0.5, 1e-12);
  EXPECT_LE(certify(problem, result.x, result.y).error(), 1e-6);
  EXPECT_GT(result.second_order.least_curvature.value(), 0) << "that of the saddle";
}

// A budget in seconds alone says nothing of samples: the time that the phase will take decides, not how many
// gradients of very many variables fit into it.
TEST(SecondOrder, IsPlannedByTimeWhereTimeIsTheBudget) {
  constexpr Index many = 50'000, rows = 30'000;
  SparseRows data(rows, many);
  for (Index i = 0; i < rows; ++i) data.insert(i, i) = 1;
  const Problem problem(
      LinearModel(data, random_vector(rows, 9), SquaredLoss{}, Vector::Constant(many, 1e-3)));
  SolveOptions options{.seconds = 0.5};
  options.clock = [now = std::make_shared<double>(0)] { return *now += 1e-4; };  // a busy machine has no say
  const Result result = solve(problem, options);
  EXPECT_TRUE(result.second_order.ran) << result.full_report();
}

TEST(SecondOrder, ChargesWhatItSpends) {
  const Result result = solve(problem_with(model_with(LogisticLoss{})));
  const SecondOrderFigures& spent = result.second_order;
  EXPECT_GT(spent.hessians, 0);
  // A Hessian of dense rows is a pass and more.
  EXPECT_GE(result.samples, 5000 + (spent.full_gradients + spent.hessians) * samples);
  EXPECT_LT(result.step_nanoseconds() * 1e-9 * static_cast<double>(result.iterations), result.solve_seconds);
}

TEST(SecondOrder, HasNoSayWhereParametersAreGiven) {
  const Problem problem = problem_with(model_with(LogisticLoss{}));
  SolveOptions options{.epochs = 2, .source = ParameterSource::theory};
  options.known.error_bound = 1;
  EXPECT_FALSE(solve(problem, options).second_order.ran);
  options.source = ParameterSource::automatic;
  options.algorithm = "penalty-sgd";
  EXPECT_FALSE(solve(problem, options).second_order.ran);
}

}  // namespace
}  // namespace bridle
