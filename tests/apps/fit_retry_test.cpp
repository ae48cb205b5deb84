// A fit that ends above its start is tried again from a logistic model: whichever result is returned, it
// tells of both runs and of the start between them.
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "bridle/apps/fair/fit.hpp"
#include "bridle/run/logistic_start.hpp"

#include "tests/apps/people.hpp"
#include "tests/io/files.hpp"

namespace bridle {
namespace {

using testing::people_csv;
using testing::write_file;

// Where weights are held far from what the data says, a short run ends above its start, which does not meet
// the constraint.
FairProblem held_far_off() {
  DataStatement data;
  data.target = "income";
  data.positive = "high";
  data.sensitive = {"sex"};
  FairStatement statement;
  statement.constraints_file =
      write_file("weights.lp", "Subject To\n  never: education <= -3\nBounds\n  -0.1 <= hours <= 0.1\nEnd\n");
  return {read_training(write_file("people.csv", people_csv()), data), data, statement};
}

// The clock runs when it is asked.
SolveOptions by_the_clock(const std::shared_ptr<double>& now) {
  SolveOptions options{.tolerance = 0};
  options.finish = options.second_order = false;
  options.clock = [now] { return *now += 0.5; };
  return options;
}

// The last row of each run: only that of the last one is the result.
struct Runs : Observer {
  std::vector<Progress> results;
  void progress(const Progress& row) override {
    if (row.phase == "round" || row.phase == "result") results.push_back(row);
  }
};

TEST(FitRetry, BothRunsCount) {
  const FairProblem problem = held_far_off();
  SolveOptions options = by_the_clock(std::make_shared<double>(0));
  options.samples = 200;
  Runs runs;
  const Result result = fit(problem, nullptr, {}, options, &runs).result;
  ASSERT_EQ(runs.results.size(), 2u) << "the fit was to be tried again";
  const auto &first = runs.results[0], &second = runs.results[1];

  Observer silent;
  const LogisticStart start = logistic_start(problem.without_bounds(), options, silent);
  EXPECT_GT(start.samples, 0);
  EXPECT_EQ(result.samples, first.samples + start.samples + second.samples);
  EXPECT_GE(result.solve_seconds + result.certify_seconds,
            0.9 * (first.seconds + second.seconds) + start.phases[Phase::start].seconds);
}

// What the first run has used is not there any more.
TEST(FitRetry, TheSecondRunHasTheRestOfTheTime) {
  const FairProblem problem = held_far_off();
  const auto now = std::make_shared<double>(0);
  SolveOptions options = by_the_clock(now);
  options.samples = 1e9;
  options.seconds = 1000;
  Runs runs;
  fit(problem, nullptr, {}, options, &runs);
  ASSERT_EQ(runs.results.size(), 2u) << "the fit was to be tried again";
  EXPECT_GE(runs.results[0].seconds, 500);
  EXPECT_LE(*now, 1500);
}

}  // namespace
}  // namespace bridle
