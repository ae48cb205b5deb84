// The budget says stop: by Ctrl-C and by the clock, in the middle of a chunk too, and a run that was stopped
// there is judged at once.
#include "bridle/run/budget.hpp"

#include <gtest/gtest.h>

#include "bridle/run/driver.hpp"
#include "bridle/run/solve.hpp"

namespace bridle {
namespace {

class InterruptedAfter : public Observer {
 public:
  explicit InterruptedAfter(int answers) : left_(answers) {}
  bool interrupted() override { return left_-- <= 0; }

 private:
  int left_;
};

void spin(double seconds) {
  const Stopwatch watch;
  while (watch.seconds() < seconds) {
  }
}

TEST(Budget, AsksOftenWhenIterationsAreSlow) {
  InterruptedAfter observer(2);
  Budget budget({.samples = 1e9}, observer);
  // One iteration takes 0.05 s or more: at most two of them in each slice that follows.
  const std::uint64_t done = budget.work_off(1'000'000, [](std::uint64_t n) {
    spin(0.05 * static_cast<double>(n));
    return n;
  });
  EXPECT_LE(done, 1u + 2u + 2u);
  EXPECT_TRUE(budget.interrupted());
}

TEST(Budget, ProcessesAskAtTheSameIterations) {
  InterruptedAfter observer(3);
  Budget budget({.samples = 1e9}, observer, Budget::Asking::together);
  std::vector<std::uint64_t> slices;
  budget.work_off(1'000'000, [&](std::uint64_t n) { return slices.emplace_back(n); });
  EXPECT_EQ(slices, std::vector<std::uint64_t>(4, 1024));
}

// Batches of 100,000 samples with 100 numbers each: 1,024 of them would be a long time to wait for Ctrl-C.
TEST(Budget, ProcessesAskOftenWhereIterationsAreLarge) {
  InterruptedAfter observer(3);
  Budget budget({.samples = 1e9, .cost = 1e5, .numbers = 1e7}, observer, Budget::Asking::together);
  std::vector<std::uint64_t> slices;
  budget.work_off(1'000, [&](std::uint64_t n) { return slices.emplace_back(n); });
  EXPECT_EQ(slices, std::vector<std::uint64_t>(4, 2));
  InterruptedAfter again(1);
  Budget huge({.samples = 1e12, .cost = 1e8, .numbers = 1e10}, again, Budget::Asking::together);
  EXPECT_EQ(huge.work_off(1'000, [](std::uint64_t n) { return n; }), 2u);
}

TEST(Budget, DoesAllOfItWhenNobodyStops) {
  Observer nobody;
  Budget budget({.samples = 1e9}, nobody);
  std::uint64_t done = 0;
  EXPECT_EQ(budget.work_off(12345,
                            [&](std::uint64_t n) {
                              done += n;
                              return n;
                            }),
            12345u);
  EXPECT_EQ(done, 12345u);
  EXPECT_GT(budget.seconds_per_sample(), 0);
}

// A moment in which another program had the processor: slices are short after it, and grow again.
TEST(Budget, SlicesGrowAgain) {
  Observer nobody;
  double now = 0;
  Budget budget({.samples = 1e9}, nobody, Budget::Asking::by_the_clock, [&] { return now; });
  int slices = 0;
  budget.work_off(100'000, [&](std::uint64_t n) {
    now += slices++ == 0 ? 0.06 : 1e-6 * static_cast<double>(n);
    return n;
  });
  EXPECT_LE(slices, 8);  // 1, 1, 8, 64, ..., 8^4, and the rest
}

TEST(Budget, ProcessesThatExecuteWorkersAskWhenTheseHaveMet) {
  InterruptedAfter observer(0);
  Budget budget({.samples = 1e9}, observer, Budget::Asking::after_chunks);
  EXPECT_EQ(budget.work_off(12345, [](std::uint64_t n) { return n; }), 12345u);
}

TEST(Verdict, TheJudgeComesFirst) {
  EXPECT_EQ(status_of({.holds = true, .interrupted = true}), Status::stationary);
  EXPECT_EQ(status_of({.interrupted = true}), Status::interrupted);
  EXPECT_EQ(status_of({.infeasible = true}), Status::infeasible);
  EXPECT_EQ(status_of({.diverged = true}), Status::diverged);
  EXPECT_EQ(status_of({}), Status::budget_exhausted);
}

// f(x) = mean over 100,000 terms of |x - c_i|^2 / 2; a gradient takes a tenth of a millisecond: a pass over
// the sum would take ten seconds.
struct SlowSum {
  std::shared_ptr<std::uint64_t> gradients = std::make_shared<std::uint64_t>(0);

  Index dimension() const { return 3; }
  Index sample_count() const { return 100'000; }
  void gradient(ConstVectorRef x, Sample i, VectorRef out) const {
    spin(1e-4);
    ++*gradients;
    for (Index j = 0; j < 3; ++j)
      out[j] = x[j] - std::sin(static_cast<double>(i * 3) + static_cast<double>(j));
  }
};

TEST(Interruption, IsHeededWithinAChunkAndJudgedOnASample) {
  const SlowSum sum;
  InterruptedAfter observer(1);
  const Result result = solve(Problem(sum), {.epochs = 10}, &observer);
  EXPECT_EQ(result.status, Status::interrupted);
  EXPECT_LE(result.iterations, 1u + 8u) << "two slices";
  EXPECT_FALSE(result.certificate.exact);
  EXPECT_LT(result.certificate.error(), infinity) << "a sum without a value function has a certificate too";
  EXPECT_LE(result.certificate.gradients, 2500) << "a quarter of a second's worth of samples";
  EXPECT_LE(*sum.gradients, 10'000u) << "of a million that a run would take";
  ASSERT_FALSE(result.events.empty());
  EXPECT_NE(result.events.back().find("judged on a sample of"), std::string::npos) << result.events.back();
}

}  // namespace
}  // namespace bridle
