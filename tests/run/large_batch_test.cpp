// A batch of many samples is one step, but Ctrl-C and time limits do not wait for its end: the run ends with
// the last whole iteration. The clock is the objective's own, which runs when a gradient is taken: no test
// waits.
#include <cmath>
#include <cstdio>
#include <memory>

#include <gtest/gtest.h>

#include "bridle/run/solve.hpp"

#include "tests/properties.hpp"

namespace bridle {
namespace {

constexpr Index batch = 20'000;         // about twenty pieces
constexpr double takes = 1e-4;          // seconds of a gradient: two for a batch
constexpr double verdict = 2 * 30'000;  // gradients, at the point and at the origin

// f(x) = mean over 30,000 terms of |x - c_i|^2 / 2, with x_1 + x_2 + x_3 <= 1.
struct Counted {
  std::shared_ptr<double> gradients = std::make_shared<double>(0);

  Index dimension() const { return 3; }
  Index sample_count() const { return 30'000; }
  void gradient(ConstVectorRef x, Sample i, VectorRef out) const {
    ++*gradients;
    for (Index j = 0; j < 3; ++j)
      out[j] = x[j] - 2 * std::sin(static_cast<double>(i * 3) + static_cast<double>(j));
  }
};

Problem constrained(const Counted& f) {
  Problem out(f);
  out.subject_to(Matrix::Ones(1, 3), Vector::Constant(1, -infinity), Vector::Constant(1, -1.0));
  return out;
}

// Interrupts when the loop has taken so many gradients.
struct InterruptsAt : Observer {
  InterruptsAt(const Counted& f, double in_loop) : gradients(f.gradients), limit(in_loop) {}
  void stage(int number, const Stage&, const Reasons&) override {
    if (number == 1) before = *gradients;
  }
  bool interrupted() override { return before >= 0 && *gradients - before >= limit; }

  std::shared_ptr<double> gradients;
  double limit, before = -1;
};

SolveOptions loop_of(const Counted& f, const std::string& algorithm) {
  SolveOptions out;
  out.algorithm = algorithm;
  out.samples = 4000.0 * batch;
  out.batch = batch;
  out.tolerance = 0;
  out.finish = out.second_order = false;
  out.output = Output::last;
  out.clock = [count = f.gradients] { return takes * *count; };
  return out;
}

class LargeBatch : public testing::TestWithParam<const char*> {};

// STORM takes two gradients at a sample. Estimates begin with a batch before the first iteration.
TEST_P(LargeBatch, IsLeftWhenInterruptedAndTheLastWholeIterationIsJudged) {
  const std::string name = GetParam();
  const double first_batch = name.ends_with("storm") || name.ends_with("polyak") ? batch : 0;
  const double iteration = (name.ends_with("storm") ? 2 : 1) * batch, two = first_batch + 2 * iteration;
  const auto interrupted_at = [&](double gradients) {
    const Counted f;
    InterruptsAt observer(f, gradients);
    Result out = solve(constrained(f), loop_of(f, name), &observer);
    EXPECT_EQ(out.status, Status::interrupted);
    EXPECT_LE(*f.gradients - observer.before, gradients + 2 * 1024 + verdict);
    return out;
  };
  const Result whole = interrupted_at(two), within = interrupted_at(two + 0.6 * iteration);
  EXPECT_EQ(whole.iterations, 2u);
  EXPECT_EQ(within.iterations, 2u);
  EXPECT_EQ(within.x, whole.x);
  EXPECT_EQ(within.y, whole.y);
  EXPECT_EQ(within.samples, whole.samples);
  const Result first = interrupted_at(first_batch + 0.6 * iteration);
  EXPECT_EQ(first.iterations, 0u);
  EXPECT_NE(first.x, within.x);
}

INSTANTIATE_TEST_SUITE_P(Algorithms, LargeBatch,
                         testing::Values("smoothed", "safeguarded", "storm", "safeguarded-storm", "plain-alm",
                                         "lu-mei-xiao-polyak", "conex"));

TEST(LargeBatches, DoNotOutlastATimeLimit) {
  const Counted f;
  SolveOptions options;
  constexpr double quick = 1e-6;  // seconds of a gradient
  options.batch = 100'000'000;    // a minute and a half
  options.seconds = 2;
  options.finish = false;
  options.clock = [count = f.gradients] { return quick * *count; };
  const Result result = solve(constrained(f), options);
  EXPECT_EQ(result.iterations, 0u);
  EXPECT_EQ(result.status, Status::budget_exhausted);
  EXPECT_LT(result.certificate.error(), infinity);
  EXPECT_LE(quick * *f.gradients, 2.2);
  EXPECT_GE(quick * *f.gradients, 1);
}

TEST(LargeBatches, OfThePostProcessingAreLeftToo) {
  const Counted f;
  SolveOptions options = loop_of(f, "smoothed");
  options.samples = 200;
  options.batch = 1;
  options.output = Output::random;
  options.post_process = 100'000'000;
  InterruptsAt observer(f, 2000);
  const Result result = solve(constrained(f), options, &observer);
  EXPECT_EQ(result.status, Status::interrupted);
  EXPECT_NE(result.found_by, FoundBy::post_processing);
  EXPECT_LE(*f.gradients - observer.before, 2000 + 2 * 1024 + 2 * verdict) << "of x and of z";
  test::expect_contains(result.events.back(), "stopped in the post-processing, which is left out");
}

TEST(LargeBatches, GoOnFromACheckpointWithTheSameBits) {
  const std::string path = testing::TempDir() + "bridle_large_batches.checkpoint";
  std::remove(path.c_str());
  const Counted f;
  SolveOptions options = loop_of(f, "smoothed");
  options.samples = 9.0 * batch;
  const Vector alone = solve(constrained(f), options).x;
  options.checkpoint = path;
  options.resume = true;
  InterruptsAt observer(f, 4.7 * batch);
  EXPECT_EQ(solve(constrained(f), options, &observer).status, Status::interrupted);
  EXPECT_EQ(solve(constrained(f), options).x, alone);
  std::remove(path.c_str());
}

}  // namespace
}  // namespace bridle
