#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "bridle/apps/fair/fit.hpp"
#include "bridle/apps/fair/judged_from.hpp"
#include "bridle/apps/fair/limited_memory.hpp"
#include "bridle/apps/fair/smoothed_rates.hpp"
#include "bridle/core/random.hpp"

#include "tests/io/files.hpp"

namespace bridle {
namespace {

using testing::write_file;

// Good is who has a and b of the same sign, which no linear score tells; c lifts the chances of group p.
std::string crossed_people(int count = 500) {
  const Stream stream(21, Purpose::noise);
  std::string out = "a,b,c,group,good\n";
  for (int i = 0; i < count; ++i) {
    const auto at = [&](std::uint64_t k) { return stream.normal(8 * static_cast<std::uint64_t>(i) + k); };
    const double a = at(0), b = at(1), c = at(2);
    out += fmt::format("{:.4f},{:.4f},{:.4f},{},{}\n", a, b, c, c + at(3) > 0 ? "p" : "q",
                       a * b + 0.5 * c + 0.1 * at(4) > 0 ? "yes" : "no");
  }
  return out;
}

DataStatement about_crossed_people() {
  DataStatement out;
  out.target = "good";
  out.positive = "yes";
  out.sensitive = {"group"};
  return out;
}

FairProblem crossed_problem(Hidden hidden) {
  const DataStatement data = about_crossed_people();
  FairStatement statement;
  statement.hidden = std::move(hidden);
  statement.ridge = 1e-3;
  return {read_training(write_file("crossed.csv", crossed_people()), data), data, statement};
}

TEST(NetworkFit, TellsApartWhatNoLinearModelDoesAndMeetsTheGapInCounts) {
  RateStatement request;
  request.gap = 0.05;
  request.starts = 1;
  request.widths = {0.8};
  const FairProblem linear = crossed_problem({}), network = crossed_problem({6});
  const Fit plain = fit_to_rates(linear, nullptr, request, {.epochs = 30});
  const Fit fitted = fit_to_rates(network, nullptr, request, {.epochs = 30});
  EXPECT_TRUE(fitted.rates->reached);
  const Cells cells(network.training().data, Measure::demographic_parity);
  const Vector selected = cells.selected(network.scorer().scores(fitted.result.x));
  EXPECT_EQ(largest_excess(gap_rows(cells, 0.05), cells, selected), 0);
  // Half of the people stand on either side of chance for a linear score.
  EXPECT_GT(fitted.train.accuracy, plain.train.accuracy + 0.1);
  EXPECT_GT(fitted.train.accuracy, 0.75);
  // What it says of itself is what the judge says of the weights returned.
  EXPECT_EQ(fitted.result.status == Status::stationary,
            fitted.rates->after_walk.holds(fitted.result.tolerance));
}

TEST(NetworkFit, CovarianceBoundsHoldToRoundingAndTheJudgeAgrees) {
  const FairProblem problem = crossed_problem({4});
  const double bound = 0.01;
  const Fit free = fit(problem, nullptr, {}, {});
  const Fit fitted = fit(problem, nullptr, Vector::Constant(1, bound), {});
  EXPECT_GT(std::abs(free.rows.front().train), 2 * bound);
  EXPECT_LE(std::abs(fitted.rows.front().train), bound * (1 + 1e-9));
  EXPECT_EQ(fitted.result.status, Status::stationary) << fitted.result.certificate.error();
  const Problem stated = problem.with_bounds(Vector::Constant(1, bound));
  const Certificate again =
      judged_from(problem.network()->start(fitted.result.seed), stated, fitted.result.x, fitted.result.y, {});
  EXPECT_LE(again.error(), 10 * fitted.result.tolerance);
}

TEST(NetworkFit, RowsHaveTheJacobianOfDifferences) {
  const FairProblem problem = crossed_problem({3, 2});
  const Cells cells(problem.training().data, Measure::demographic_parity);
  const auto rows = gap_rows(cells, 0.1);
  const Vector w = problem.network()->start(2);
  const Vector scores = problem.scorer().scores(w);
  const SmoothedRateRows smooth(cells, rows, problem.scorer(), slopes_of(cells, scores, 0.8),
                                Vector::Zero(static_cast<Index>(rows.size())));
  Matrix jacobian, hessian;
  smooth.jacobian(w, jacobian);
  smooth.hessian(w, Vector::Ones(1), hessian);
  const double h = 1e-5;
  for (Index j = 0; j < w.size(); ++j) {
    const Vector d = h * Vector::Unit(w.size(), j);
    Vector ahead(1), behind(1);
    smooth.value(w + d, ahead);
    smooth.value(w - d, behind);
    // People whose sigmoid is flatter than 1e-5 of its steepest are left out of the Jacobian.
    EXPECT_NEAR(jacobian(0, j), (ahead[0] - behind[0]) / (2 * h), 1e-4);
    Matrix there, back;
    smooth.jacobian(w + d, there);
    smooth.jacobian(w - d, back);
    EXPECT_NEAR((hessian.col(j) - (there - back).transpose() / (2 * h)).norm(), 0,
                2e-2 * (1 + hessian.norm()));
  }
}

TEST(LimitedMemory, InvertsAQuadraticAfterAsManyStepsAsItHasVariables) {
  Matrix hessian(3, 3);
  hessian << 4, 1, 0, 1, 3, 0.5, 0, 0.5, 2;
  LimitedMemory memory;
  EXPECT_TRUE(memory.empty());
  // Conjugate steps: with them the model is exact after three.
  Matrix steps = Matrix::Identity(3, 3);
  for (Index j = 0; j < 3; ++j) {
    for (Index k = 0; k < j; ++k) {
      const Vector other = steps.col(k);
      steps.col(j) -= other.dot(hessian * steps.col(j)) / other.dot(hessian * other) * other;
    }
    memory.remember(steps.col(j), hessian * steps.col(j));
  }
  EXPECT_LT((memory.inverse_times(hessian) - Matrix::Identity(3, 3)).norm(), 1e-12);
}

TEST(LimitedMemory, StaysPositiveWhereTheCurvatureIsNegative) {
  LimitedMemory memory;
  memory.remember(Vector::Unit(2, 0), 2 * Vector::Unit(2, 0));
  memory.remember(Vector::Unit(2, 1), -5 * Vector::Unit(2, 1));
  const Matrix inverse = memory.inverse_times(Matrix::Identity(2, 2));
  EXPECT_GT(inverse(0, 0), 0);
  EXPECT_GT(inverse(1, 1), 0);
  EXPECT_GT(inverse(0, 0) * inverse(1, 1), inverse(0, 1) * inverse(1, 0));
}

}  // namespace
}  // namespace bridle
