// A time limit that does not bear all samples. The clock is one that moves a tick whenever it is looked at:
// no test waits, and a pass over the data takes a tick, whatever its size.
#include "bridle/run/outlook.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>

#include <gtest/gtest.h>

#include "bridle/certify/certify.hpp"
#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/run/solve.hpp"

#include "tests/properties.hpp"

namespace bridle {
namespace {

using test::expect_contains;

constexpr Index count = 40'000, columns = 4;
constexpr double tick = 1e-4;

// An intercept and columns far from 0, which a run centres.
Problem stated() {
  DenseRows<double> features(count, columns);
  Vector labels(count);
  const Stream random(3, Purpose::generator);
  for (Index i = 0; i < count; ++i) {
    features(i, 0) = 1;
    double score = 1;
    for (Index j = 1; j < columns; ++j) {
      const double a = random.normal(static_cast<std::uint64_t>(i * columns + j));
      features(i, j) = 5 + a;
      score += (j % 2 ? 1 : -1) * a;
    }
    labels[i] = score + random.normal(static_cast<std::uint64_t>(i * columns)) > 0 ? 1 : -1;
  }
  return Problem(LinearModel(std::move(features), std::move(labels), LogisticLoss{}));
}

SolveOptions within(double left) {
  SolveOptions options{.seconds = 1, .tolerance = 0};
  options.seconds_used = options.seconds - left;
  options.clock = [now = std::make_shared<double>(0)] { return *now += tick; };
  options.second_order = false;
  return options;
}

bool said(const Result& result, const std::string& what) {
  return std::any_of(result.events.begin(), result.events.end(),
                     [&](const std::string& event) { return event.find(what) != std::string::npos; });
}

TEST(Outlook, ALongTimeBearsAllSamples) {
  const Outlook out = outlook(stated(), within(0.9), true, 0);
  EXPECT_EQ(out.samples, 0);
  EXPECT_FALSE(out.quick_judge);
}

TEST(Outlook, WithoutATimeLimitThereIsNothingToExpect) {
  SolveOptions options = within(0);
  options.seconds = options.seconds_used = 0;
  EXPECT_EQ(outlook(stated(), options, true, 0).samples, 0);
}

TEST(Outlook, LessTimeBearsFewerSamples) {
  const Problem problem = stated();
  Index before = count;
  for (const double passes : {18.0, 12.0, 0.1}) {
    const Outlook out = outlook(problem, within(passes * tick), true, 0);
    EXPECT_GT(out.samples, 0) << passes;
    EXPECT_LT(out.samples, before) << passes;
    EXPECT_EQ(out.quick_judge, passes < 10) << passes;
    before = out.samples;
  }
  EXPECT_EQ(outlook(problem, within(0.9), true, 0.9 + 5 * tick).samples, before)  // the fewest
      << "what was spent before a resume counts";
}

// A pass takes a tick: looked at for the k-th time, the clock has moved by half a second once.
TEST(Outlook, AnotherProgramsMomentDoesNotMakeTheShareSmaller) {
  const Problem problem = stated();
  const Index undisturbed = outlook(problem, within(18 * tick), true, 0).samples;
  for (int moment = 1; moment <= 60; ++moment) {
    SolveOptions options = within(18 * tick);
    options.clock = [looks = std::make_shared<int>(0), moment] {
      return ++*looks * tick + (*looks >= moment ? 0.5 : 0);
    };
    EXPECT_NEAR(static_cast<double>(outlook(problem, options, true, 0).samples),
                static_cast<double>(undisturbed), 1)
        << moment;
  }
}

TEST(Outlook, AShareIsDrawnAtRandomWithoutRepetition) {
  const Problem problem = stated();
  const LinearModel share = *share_of(problem, 4'000, 1).objective().as_linear_model();
  EXPECT_EQ(share.sample_count(), 4'000);
  const auto* dense = std::get_if<DenseView<double>>(&share.features().storage());
  ASSERT_TRUE(dense);
  std::vector<double> values;
  for (Index i = 0; i < share.sample_count(); ++i) values.push_back(dense->matrix()(i, 1));
  std::sort(values.begin(), values.end());
  EXPECT_EQ(std::adjacent_find(values.begin(), values.end()), values.end());
  // The mean of 4,000 draws is within five standard errors: one in a million is not.
  EXPECT_NEAR(dense->matrix().col(1).mean(), 5, 5 / std::sqrt(4'000.0));
}

TEST(Outlook, ARunOnAShareIsJudgedOnAll) {
  const Problem problem = stated();
  const Result result = solve(problem, within(15 * tick));
  EXPECT_TRUE(said(result, "the time does not bear all samples"));
  EXPECT_EQ(result.status, Status::budget_exhausted);
  EXPECT_NEAR(result.certificate.objective, *problem.objective().mean_value(result.x), 1e-12);
}

TEST(Outlook, WithoutTimeForALookAtAllAPointIsJudgedOnASample) {
  const Result result = solve(stated(), within(2 * tick));
  EXPECT_TRUE(said(result, "short of time: the last point was judged on a sample"));
  EXPECT_EQ(result.status, Status::budget_exhausted);
  EXPECT_TRUE(result.x.allFinite());
}

// A share has other means than all samples: the variables that a run works with are others then.
TEST(Outlook, ALongerRunGoesOnFromAShare) {
  const Problem problem = stated();
  const std::string file = testing::TempDir() + "outlook.state";
  std::filesystem::remove(file);
  SolveOptions options = within(15 * tick);
  options.checkpoint = file;
  const Result first = solve(problem, options);
  EXPECT_TRUE(said(first, "the time does not bear all samples"));
  SolveOptions more = within(0.9);
  more.seconds = 0.2;
  more.seconds_used = 0;
  more.checkpoint = file;
  more.resume = true;
  const Result second = solve(problem, more);
  std::filesystem::remove(file);
  EXPECT_LE(second.certificate.objective, first.certificate.objective);
  EXPECT_LE(second.certificate.error(), first.certificate.error());
}

}  // namespace
}  // namespace bridle
