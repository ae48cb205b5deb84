// Which of the points that the judge has seen is kept.
#include "bridle/run/candidates.hpp"

#include <gtest/gtest.h>

namespace bridle {
namespace {

// f(x) = -x, known through noisy slopes only.
struct NoisySlope {
  Index dimension() const { return 1; }
  Index sample_count() const { return endless; }
  void gradient(ConstVectorRef, Sample sample, VectorRef out) const {
    Vector noise(1);
    Stream(sample, Purpose::generator).fill_normal(noise, 0);
    out[0] = -1 + noise[0];
  }
};

// The interval of a batch of 1,000 is 0.06 wide at every point, more than the row is broken by: it must not
// hide that.
TEST(Candidates, TheIntervalOfABatchDoesNotHideDifferences) {
  Problem problem{NoisySlope{}};
  problem.subject_to(Matrix{{1}}, Vector{{-infinity}}, Vector{{1.0}});
  const RunProblem run{problem};
  SolveOptions options;
  options.finish = false;
  Nobody nobody;
  Budget budget({.samples = 1e4}, nobody);
  const Oracle oracle(problem, 1000, 1);
  JudgedPoints judged;
  Candidates candidates(run, options, budget, oracle, judged);
  const Vector y{{1.0}};
  candidates.show({Vector{{1.02}}, y}, FoundBy::loop_x);
  candidates.show({Vector{{1.0}}, y}, FoundBy::loop_z);
  EXPECT_GT(judged.latest->certificate.stationarity_halfwidth.relative, 0.02);
  EXPECT_EQ(candidates.choice().x[0], 1.0);
  candidates.show({Vector{{1.01}}, y}, FoundBy::loop_x);
  EXPECT_EQ(candidates.choice().x[0], 1.0);
}

}  // namespace
}  // namespace bridle
