#include "bridle/apps/fair/fair_problem.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "bridle/apps/fair/sweep.hpp"
#include "bridle/certify/certify.hpp"

#include "tests/apps/people.hpp"
#include "tests/io/files.hpp"

namespace bridle {
namespace {

using testing::people_csv;
using testing::write_file;

DataStatement about(Names sensitive, std::vector<Condition> conditions = {Condition{}}) {
  DataStatement out;
  out.target = "income";
  out.positive = "high";
  out.sensitive = std::move(sensitive);
  out.conditions = std::move(conditions);
  return out;
}

FairProblem problem_of(const DataStatement& data, const FairStatement& statement = {}) {
  return {read_training(write_file("people.csv", people_csv()), data), data, statement};
}

// mean over the kept samples of (z - zbar) score, written out.
double covariance(const FairProblem& problem, const FairRow& row, const Vector& weights) {
  const FairData& data = problem.training().data;
  double count = 0, mean = 0, sum = 0;
  const auto z = [&](std::size_t i) {
    return data.attributes[row.attribute].codes[i] == row.group ? 1.0 : 0.0;
  };
  for (std::size_t i = 0; i < 400; ++i)
    if (data.kept[row.condition][i]) count += 1, mean += z(i);
  mean /= count;
  for (std::size_t i = 0; i < 400; ++i)
    if (data.kept[row.condition][i])
      sum += (z(i) - mean) * problem.model().features().dot(static_cast<Index>(i), weights);
  return sum / count;
}

TEST(FairProblem, RowsAreTheCovariances) {
  const FairProblem problem = problem_of(
      about({"sex", "race"}, {Condition{}, parse_condition("positive"), parse_condition("town=north")}));
  ASSERT_EQ(problem.rows().size(), 3u * (1 + 3));  // two groups need one row, three need three
  EXPECT_EQ(problem.rows()[0].name, "cov_sex");
  EXPECT_EQ(problem.rows()[1].name, "cov_sex.within.positive");
  const Vector weights = Vector::LinSpaced(problem.model().dimension(), -1, 2);
  const Vector found = problem.covariances(weights);
  for (std::size_t k = 0; k < problem.rows().size(); ++k)
    EXPECT_NEAR(found[static_cast<Index>(k)], covariance(problem, problem.rows()[k], weights), 1e-13)
        << problem.rows()[k].name;
  const Vector sum = problem.covariances(weights);
  EXPECT_NEAR(sum[3] + sum[4] + sum[5], 0, 1e-13) << "the groups' covariances add up to nothing";
}

TEST(FairProblem, BoundsAreMetAndCertified) {
  const FairProblem problem = problem_of(about({"sex", "race"}));
  SolveOptions options{.epochs = 300, .tolerance = 1e-3};
  const Fit free = fit(problem, nullptr, {}, options);
  ASSERT_GT(std::abs(free.rows[0].train), 0.05) << "the data leans";
  const BoundList bounds("sex=0.001,race=10%", {"sex", "race"});
  const Vector resolved = problem.resolve(bounds, problem.covariances(free.result.x));
  double largest = 0;
  for (Index k = 1; k < 4; ++k)
    largest = std::max(largest, std::abs(free.rows[static_cast<std::size_t>(k)].train));
  EXPECT_DOUBLE_EQ(resolved[2], 0.1 * largest);
  const Fit fitted = fit(problem, nullptr, resolved, options);
  EXPECT_EQ(fitted.result.status, Status::stationary);
  for (const auto& row : fitted.rows) EXPECT_LE(std::abs(row.train), row.bound + 1e-9) << row.row;
  EXPECT_GE(fitted.result.objective(), free.result.objective() - 1e-4);
  EXPECT_GT(fitted.rows[0].price(), 0);
  const Problem stated = problem.with_bounds(resolved);
  EXPECT_TRUE(certify(stated, fitted.result.x, fitted.result.y).holds(1e-3)) << "the judge's word";
}

TEST(FairProblem, PriceIsTheSlopeOfTheObjective) {
  const FairProblem problem = problem_of(about({"sex"}), {LogisticLoss{}, 1e-2, ""});
  SolveOptions options{.epochs = 3000, .tolerance = 1e-7};
  const auto at = [&](double bound) { return fit(problem, nullptr, Vector::Constant(1, bound), options); };
  const Fit tight = at(0.010), loose = at(0.012), middle = at(0.011);
  const double slope = (tight.result.objective() - loose.result.objective()) / 0.002;
  EXPECT_NEAR(middle.rows[0].price(), slope, 0.05 * slope);
}

TEST(FairProblem, FurtherConstraintsOnNamedWeights) {
  FairStatement statement;
  statement.constraints_file = write_file(
      "weights.lp", "Subject To\n  order: town.north - town.south >= 0.5\nBounds\n  education <= 0.2\nEnd\n");
  const FairProblem problem = problem_of(about({"sex"}), statement);
  const Fit fitted = fit(problem, nullptr, Vector::Constant(1, 0.01), {.epochs = 300, .tolerance = 1e-3});
  const auto& x = fitted.result.x;
  EXPECT_GE(x[2] - x[3], 0.5 - 1e-8);
  EXPECT_LE(x[1], 0.2 + 1e-8);
  EXPECT_LE(std::abs(fitted.rows[0].train), 0.01 + 1e-9);

  statement.constraints_file = write_file("weights.lp", "Subject To\n  c: educaton <= 1\nEnd\n");
  EXPECT_THROW(problem_of(about({"sex"}), statement), InputError);
}

TEST(FairProblem, BoundsThatCannotBeMetAreNoticed) {
  FairStatement statement;
  statement.constraints_file =
      write_file("weights.lp",
                 "Subject To\n  a: hours >= 1\nBounds\n  -0.001 <= education <= 0.001\n"
                 "  -0.001 <= town.north <= 0.001\n  -0.001 <= town.south <= 0.001\n"
                 "  -0.001 <= race.a <= 0.001\n  -0.001 <= race.b <= 0.001\n"
                 "  -0.001 <= race.c <= 0.001\nEnd\n");
  const FairProblem problem = problem_of(about({"sex"}), statement);
  EXPECT_FALSE(FairProblem::contradiction(problem.without_bounds()));
  EXPECT_FALSE(FairProblem::contradiction(problem.with_bounds(Vector::Constant(1, 10.0))));
  EXPECT_TRUE(FairProblem::contradiction(problem.with_bounds(Vector::Constant(1, 0.001))));
}

TEST(Sweep, RunsAreWhatTheyAreAlone) {
  const FairProblem problem = problem_of(about({"sex"}));
  SweepOptions options;
  options.bounds = parse_sweep("10%:100%:3");
  options.seeds = 2;
  options.threads = 3;
  options.solve = {.epochs = 20, .tolerance = 1e-3, .seed = 5};
  std::size_t calls = 0;
  SweepWatch watch;
  watch.progress = [&](std::size_t, std::size_t total) {
    ++calls;
    EXPECT_EQ(total, 8u);
  };
  const Sweep swept = sweep(problem, nullptr, options, watch);
  EXPECT_EQ(calls, 8u);
  ASSERT_EQ(swept.runs.size(), 6u);
  for (const auto& [bound, fitted] : swept.runs) {
    SolveOptions alone = options.solve;
    alone.seed = fitted.result.seed;
    const Fit free = fit(problem, nullptr, {}, alone);
    const Vector resolved = problem.resolve(BoundList(bound), problem.covariances(free.result.x));
    EXPECT_EQ(fit(problem, nullptr, resolved, alone).result.x, fitted.result.x) << bound.text();
  }
  const Spread spread = spread_over(swept.runs, 0, 2, [](const Fit& f) { return f.result.objective(); });
  const double a = swept.runs[0].fit.result.objective(), b = swept.runs[1].fit.result.objective();
  EXPECT_NEAR(spread.mean, (a + b) / 2, 1e-15);
  EXPECT_NEAR(spread.deviation, std::abs(a - b) / std::sqrt(2), 1e-12);
}

}  // namespace
}  // namespace bridle
