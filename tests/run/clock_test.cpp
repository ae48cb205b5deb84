// Time as the budget: the steps shrink by the clock, not by the first guess at the speed; the judge's time is
// inside. The clock is the objective's own, which runs when a gradient is taken: no test waits.
#include <cmath>
#include <memory>

#include <gtest/gtest.h>

#include "bridle/certify/certify.hpp"
#include "bridle/run/budget.hpp"
#include "bridle/run/solve.hpp"
#include "bridle/run/stage_runner.hpp"

#include "tests/properties.hpp"

namespace bridle {
namespace {

using test::expect_contains;

constexpr Index n = 10;
constexpr Index samples = 5'000;

// The mean over 5,000 terms of (a_i'x - b_i)^2 / 2 with noise in b. The first gradients take a third of the
// time of the later ones: a short timing is three times too hopeful. Those after them may take much longer.
struct Slowing {
  double stalled_until = 0;
  std::shared_ptr<double> now = std::make_shared<double>(0);
  double quick = 1e-4, stalled = 3e-2, slow = 3e-4, until = 0.05;

  Index dimension() const { return n; }
  Index sample_count() const { return samples; }
  double residual(ConstVectorRef x, Sample i, Vector& a) const {
    const Stream random(i, Purpose::generator);
    for (Index j = 0; j < n; ++j) a[j] = random.normal(static_cast<std::uint64_t>(j));
    return a.sum() - a.dot(x) + 2 * random.normal(static_cast<std::uint64_t>(n));
  }
  void gradient(ConstVectorRef x, Sample i, VectorRef out) const {
    *now += *now < until ? quick : *now < stalled_until ? stalled : slow;
    Vector a(n);
    out = -residual(x, i, a) * a;
  }
  double value(ConstVectorRef x, Sample i) const {
    Vector a(n);
    const double r = residual(x, i, a);
    return 0.5 * r * r;
  }
};

double objective(const Slowing& f, const Vector& x) {
  double sum = 0;
  for (Index i = 0; i < samples; ++i) sum += f.value(x, static_cast<Sample>(i));
  return sum / samples;
}

// By the normal equations.
double lowest_objective() {
  const Slowing f;
  Matrix normal = Matrix::Zero(n, n);
  Vector right = Vector::Zero(n), a(n);
  for (Index i = 0; i < samples; ++i) {
    const double b = f.residual(Vector::Zero(n), static_cast<Sample>(i), a);
    normal += a * a.transpose();
    right += b * a;
  }
  return objective(f, normal.ldlt().solve(right));
}

SolveOptions on(const Slowing& f) {
  SolveOptions options{.tolerance = 0};
  options.clock = [now = f.now] { return *now; };
  options.second_order = false;
  return options;
}

// The largest and the last step that the loop took.
struct Steps : Observer {
  double largest = 0, last = 0;
  void progress(const Progress& row) override {
    if (row.phase != "loop") return;
    last = row.step;
    largest = std::max(largest, last);
  }
};

// A run that takes its time, all of it, and whose steps shrink to the end.
Result timed_run(const Slowing& f, double seconds, std::uint64_t seed) {
  SolveOptions options = on(f);
  options.seconds = seconds;
  options.seed = seed;
  options.finish = false;
  Steps steps;
  Result result = solve(Problem(f), options, &steps);
  EXPECT_GT(steps.largest, 0);
  EXPECT_LE(steps.last, 0.05 * steps.largest) << "the last row of two hundred";
  EXPECT_LE(*f.now, 1.1 * seconds + 0.5) << "the judge included";
  EXPECT_GE(*f.now, 0.7 * seconds);
  EXPECT_LT(certify(Problem(f), result.x, result.y).error(), infinity);
  return result;
}

// Against a run with as many samples planned.
TEST(Clock, DecayFollowsIt) {
  const double lowest = lowest_objective();
  double timed_excess = 0, planned_excess = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Slowing f;
    const Result timed = timed_run(f, 20, seed);
    SolveOptions by_samples = on(f);
    by_samples.samples = timed.samples;
    by_samples.seed = seed;
    by_samples.finish = false;
    timed_excess += objective(f, timed.x) - lowest;
    planned_excess += objective(f, solve(Problem(f), by_samples).x) - lowest;
  }
  EXPECT_LE(timed_excess, 1.3 * planned_excess);
}

// A visit of the judge takes a twentieth of this time: the step sizes that the loop is at then must not be
// passed over, and the stage that he comes in has its iterations.
TEST(Clock, VisitsOfTheJudgeTakeNoStepsAway) {
  const double lowest = lowest_objective();
  double timed_excess = 0, planned_excess = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Slowing f;
    const Result timed = timed_run(f, 60, seed);
    SolveOptions by_samples = on(f);
    by_samples.samples = timed.samples;
    by_samples.seed = seed;
    by_samples.finish = false;
    timed_excess += objective(f, timed.x) - lowest;
    planned_excess += objective(f, solve(Problem(f), by_samples).x) - lowest;
  }
  EXPECT_LE(timed_excess, 1.3 * planned_excess);
}

// Large data is read from memory for the first time, or another program takes the processor: for a tenth of
// the time the clock expects less than a hundredth of what will be. A tenth of what could be is lost, no
// more.
TEST(Clock, ASlowBeginningIsForgotten) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Slowing f, stalled{6};
    const double all = timed_run(f, 60, seed).samples;
    EXPECT_GE(timed_run(stalled, 60, seed).samples, 0.85 * all);
  }
}

TEST(Clock, WhatWasUsedBeforeTheRunCounts) {
  Slowing f;
  f.slow = f.quick;
  SolveOptions options = on(f);
  options.seconds = 20;
  options.seconds_used = 15;
  const Result result = solve(Problem(f), options);
  EXPECT_LE(*f.now, 5 + 0.1 * 20 + 0.5);
  expect_contains(result.advice, "the time is over");
}

// What the loop is made ready with has another speed: the time left is not told by it.
TEST(Clock, TheTimeLeftIsThatOfTheLoop) {
  struct FirstRow : Observer {
    double ends = -1;
    void progress(const Progress& row) override {
      if (ends < 0) ends = row.seconds + row.seconds_left;
    }
  } told;
  Slowing f;
  f.quick = 3e-2;  // most probes of the first stage, before it begins
  f.until = 13;
  SolveOptions options = on(f);
  options.samples = 20'000;
  options.finish = false;
  solve(Problem(f), options, &told);
  EXPECT_GT(*f.now, f.until + 0.5 * options.samples * f.slow);
  EXPECT_GT(told.ends, 0.5 * *f.now);
  EXPECT_LT(told.ends, 2 * *f.now);
}

TEST(Clock, ARestIsPlannedAnew) {
  Stage stage{{.tau = 1}, {Decay::cosine, 0.2, 0.8}, 1000};
  StageState state;
  state.stage = stage;
  state.done = 400;
  const SolveOptions options;
  StageRunner runner(*find_algorithm("smoothed"), options, 1, 1, state);
  const double before = state.stage.at(400).tau, end = state.stage.at(999).tau;
  const double progress = state.stage.schedule.progress(400, 1000);
  runner.replan(1500, progress);
  EXPECT_EQ(state.stage.iterations, 400u + 1500u);
  EXPECT_NEAR(state.stage.at(400).tau, before, 1e-12);
  EXPECT_NEAR(state.stage.at(1899).tau, end, 1e-3) << "one step before the end of the schedule";
  runner.replan(150, 0.7);
  EXPECT_EQ(state.stage.iterations, 400u + 150u);
  EXPECT_NEAR(state.stage.schedule.progress(400, 550), 0.7, 1e-12);
  EXPECT_NEAR(state.stage.schedule.progress(550, 550), 0.8, 1e-12);
  runner.replan(0, 0.8);
  EXPECT_TRUE(runner.over());
}

}  // namespace
}  // namespace bridle
