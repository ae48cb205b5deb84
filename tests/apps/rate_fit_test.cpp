#include "bridle/apps/fair/rate_fit.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "bridle/apps/fair/bootstrap.hpp"
#include "bridle/apps/fair/folds.hpp"
#include "bridle/apps/fair/normal_quantile.hpp"
#include "bridle/apps/fair/smooth_steps.hpp"
#include "bridle/apps/fair/smoothed_rates.hpp"
#include "bridle/certify/certify.hpp"
#include "bridle/core/random.hpp"

#include "tests/apps/people.hpp"
#include "tests/io/files.hpp"

namespace bridle {
namespace {

using testing::people_csv;
using testing::write_file;

DataStatement about(Names sensitive) {
  DataStatement out;
  out.target = "income";
  out.positive = "high";
  out.sensitive = std::move(sensitive);
  return out;
}

FairProblem problem_of(const DataStatement& data) {
  return {read_training(write_file("people.csv", people_csv(1200)), data), data, {}};
}

TEST(RateFit, GapsAreReachedInCountsAndTheSmoothedProblemIsStationary) {
  const FairProblem problem = problem_of(about({"sex"}));
  for (const Measure measure :
       {Measure::demographic_parity, Measure::equal_opportunity, Measure::equalised_odds}) {
    RateStatement request;
    request.measure = measure;
    request.gap = 0.02;
    request.starts = 1;
    const RateFit fit = fit_rates(problem, nullptr, request, {.epochs = 30});
    EXPECT_TRUE(fit.figures.reached) << to_string(measure);
    const Cells cells(problem.training().data, measure);
    const Vector scores = LinearScorer(problem.model().features()).scores(fit.result.x);
    EXPECT_EQ(largest_excess(gap_rows(cells, 0.02), cells, cells.selected(scores)), 0);
    EXPECT_LE(fit.figures.train.gap, 0.02 + 1e-12);
    EXPECT_TRUE(fit.figures.smoothed.holds(ordinary_tolerance)) << fit.figures.smoothed.error();
    EXPECT_EQ(fit.result.status, Status::stationary);
    EXPECT_GT(fit.figures.price, 0);
    // Near the solution a Hessian serves for several steps.
    EXPECT_LT(fit.result.second_order.hessians, fit.result.second_order.iterations);
  }
}

TEST(RateFit, ABoundThatIsMetAnywayCostsNothing) {
  const FairProblem problem = problem_of(about({"sex"}));
  RateStatement request;
  request.gap = 1;
  request.starts = 1;
  const RateFit fit = fit_rates(problem, nullptr, request, {.epochs = 30});
  EXPECT_TRUE(fit.figures.reached);
  EXPECT_EQ(fit.figures.price, 0);
  const Result free = solve(problem.without_bounds(), {.epochs = 30});
  EXPECT_NEAR(fit.result.objective(), free.objective(), 1e-6);
}

TEST(RateFit, AnInterruptBeforeTheFirstStepIsJudgedToo) {
  struct Impatient final : Observer {
    bool interrupted() override { return true; }
  } observer;
  const FairProblem problem = problem_of(about({"sex"}));
  RateStatement request;
  request.gap = 0.02;
  for (const int starts : {1, 3}) {
    request.starts = starts;
    const RateFit fit = fit_rates(problem, nullptr, request, {.epochs = 30}, &observer);
    EXPECT_EQ(fit.result.status, Status::interrupted);
    EXPECT_TRUE(fit.result.x.allFinite() && fit.result.y.allFinite());
  }
}

TEST(RateFit, WhatCannotBeReachedIsSaid) {
  // A third group of a single person, and a gap that leaves no room for its rate of 0 or 1.
  std::string csv = "skill,group,good\n";
  const Stream stream(5, Purpose::noise);
  for (std::uint64_t i = 0; i < 301; ++i) {
    const double skill = stream.normal(i);
    csv += fmt::format("{:.4f},{},{}\n", skill,
                       i == 300 ? "c"
                       : i % 2  ? "a"
                                : "b",
                       skill + 0.5 * stream.normal(1000 + i) > 0 ? "yes" : "no");
  }
  DataStatement data;
  data.target = "good";
  data.positive = "yes";
  data.sensitive = {"group"};
  const FairProblem problem(read_training(write_file("single.csv", csv), data), data, {});
  RateStatement request;
  request.gap = 0.01;
  request.starts = 1;
  const RateFit fit = fit_rates(problem, nullptr, request, {.epochs = 30});
  const Cells cells(problem.training().data, Measure::demographic_parity);
  const Vector selected = cells.selected(LinearScorer(problem.model().features()).scores(fit.result.x));
  EXPECT_EQ(fit.figures.reached, largest_excess(gap_rows(cells, 0.01), cells, selected) == 0);
  EXPECT_EQ(fit.figures.reached, fit.figures.train.gap <= 0.01 + 1e-12);
  if (fit.result.status == Status::stationary) {
    EXPECT_TRUE(fit.figures.reached);
  }
}

TEST(RateFit, RowsHaveTheirOwnSecondDerivatives) {
  const FairProblem problem = problem_of(about({"sex", "race"}));
  const LinearScorer scorer(problem.model().features());
  const Cells cells(problem.training().data, Measure::equalised_odds);
  const auto rows = gap_rows(cells, 0.1);
  const Vector w = Vector::LinSpaced(scorer.weights(), -0.5, 0.7);
  const SmoothedRateRows smooth(cells, rows, scorer, slopes_of(cells, scorer.scores(w), 0.8),
                                Vector::Zero(static_cast<Index>(rows.size())));
  const Vector y = Vector::LinSpaced(smooth.count(), -1, 2);
  Matrix hessian = Matrix::Zero(w.size(), w.size());
  smooth.hessian(w, y, hessian);
  // Differences of the Jacobian. Second derivatives leave out people for whom the sigmoid's slope is below
  // 1e-3, of 0.25 at most: a share of 4e-3 of what others add, for perhaps twice as many of them.
  const double h = 1e-4;
  for (Index j = 0; j < w.size(); ++j) {
    Matrix ahead, behind;
    const Vector step = h * Vector::Unit(w.size(), j);
    smooth.jacobian(w + step, ahead);
    smooth.jacobian(w - step, behind);
    const Vector difference = (ahead - behind).transpose() * y / (2 * h);
    EXPECT_LT((difference - hessian.col(j)).norm(), 1e-2 * (1 + hessian.norm()));
  }
}

TEST(Confidence, NormalQuantiles) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-12);
  EXPECT_NEAR(normal_quantile(0.5), 0, 1e-12);
  EXPECT_NEAR(normal_quantile(0.01), -2.3263478740408408, 1e-12);
  EXPECT_NEAR(normal_quantile(0.9999), 3.719016485455709, 1e-10);
}

TEST(Folds, EveryRowIsHeldOutOnce) {
  std::vector<int> held(103, 0);
  for (int k = 0; k < 5; ++k) {
    const Split split = fold_of(103, k, 5, 9);
    EXPECT_EQ(split.train.size() + split.held_out.size(), 103u);
    for (const Index i : split.held_out) ++held[static_cast<std::size_t>(i)];
  }
  for (const int count : held) EXPECT_EQ(count, 1);
}

TEST(Folds, PlattFindsTheCurveThatMadeTheLabels) {
  const Stream stream(3, Purpose::noise);
  Vector scores(20000), labels(20000);
  for (Index i = 0; i < scores.size(); ++i) {
    const auto at = static_cast<std::uint64_t>(i);
    scores[i] = 2 * stream.normal(at);
    labels[i] = stream.uniform(at + 50000) < 1 / (1 + std::exp(-(0.7 * scores[i] - 0.4))) ? 1 : -1;
  }
  const Classifier::Platt found = fit_platt(scores, labels);
  // Standard errors of logistic regression here are about 0.015 and 0.018.
  EXPECT_NEAR(found.slope, 0.7, 0.06);
  EXPECT_NEAR(found.shift, -0.4, 0.07);
}

TEST(Bootstrap, IntervalsHaveTheWidthOfTheStandardError) {
  const FairProblem problem = problem_of(about({"sex"}));
  const Vector w = Vector::LinSpaced(problem.model().dimension(), 0.3, -0.2);
  const Vector scores = LinearScorer(problem.model().features()).scores(w);
  const auto intervals = bootstrap(problem.training().data, scores, LogisticLoss{}, 400, 1);
  ASSERT_EQ(intervals.front().figure, "accuracy");
  const double p = intervals.front().value, error = std::sqrt(p * (1 - p) / 1200);
  // Quantiles of 400 replicates are known to within some 15% of the width.
  EXPECT_NEAR(intervals.front().high - intervals.front().low, 2 * 1.96 * error, 0.3 * error * 4);
}

}  // namespace
}  // namespace bridle
