#include "bridle/apps/slicing/slice.hpp"

#include <cmath>

#include <gtest/gtest.h>
#include <sched.h>

#include "bridle/apps/slicing/margin.hpp"

#include "tests/apps/slice_exhaustive.hpp"
#include "tests/apps/slice_instances.hpp"

namespace bridle {
namespace {

TEST(Slice, FindsTheBestOfAllPlacements) {
  int feasible = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const SliceInstance instance = ring_instance({.flows = 3, .tight = true, .seed = seed});
    const double best = Exhaustive(instance).best();
    const SliceResult result = slice(instance, {.seed = seed, .threads = 1});
    if (best == infinity) {
      EXPECT_FALSE(result.feasible());
      continue;
    }
    ++feasible;
    ASSERT_TRUE(result.feasible()) << seed;
    EXPECT_LE(result.verdict.violation, 1e-8);
    EXPECT_NEAR(result.verdict.cost, best, 1e-6 * best) << seed;
    EXPECT_LE(result.bound.value, best * (1 + 1e-9));
  }
  EXPECT_GE(feasible, 3);
}

TEST(Slice, DependsOnTheSeedAloneNotOnTheThreads) {
  const SliceInstance instance = ring_instance({.flows = 12, .tight = true, .seed = 2});
  const SliceResult one = slice(instance, {.seed = 5, .threads = 1}),
                    three = slice(instance, {.seed = 5, .threads = 3});
  EXPECT_EQ(one.best_run, three.best_run);
  EXPECT_EQ(one.plan.placement, three.plan.placement);
  EXPECT_EQ(one.verdict.cost, three.verdict.cost);
}

// As under taskset: the machine's other processors are not this process's.
TEST(Slice, TakesNoMoreThreadsThanTheProcessMayUse) {
  cpu_set_t all, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  CPU_ZERO(&one);
  for (std::size_t cpu = 0; CPU_COUNT(&one) == 0; ++cpu)
    if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &one);
  const SliceInstance instance = ring_instance({.flows = 3, .seed = 1});
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  const unsigned by_itself = slice(instance, {}).threads, asked = slice(instance, {.threads = 3}).threads;
  ASSERT_EQ(sched_setaffinity(0, sizeof all, &all), 0);
  EXPECT_EQ(by_itself, 1U);
  EXPECT_EQ(asked, 1U) << "more threads than processors only wait for each other";
  EXPECT_EQ(slice(instance, {}).threads, static_cast<unsigned>(CPU_COUNT(&all)));
}

TEST(Slice, SaysWhenNothingCanBeFeasible) {
  SliceInstance instance = ring_instance({.flows = 6, .seed = 1});
  for (auto& link : instance.links) link.capacity *= 0.1;
  const SliceResult result = slice(instance, {});
  EXPECT_EQ(result.status, SliceStatus::infeasible);
  EXPECT_FALSE(result.bound.conflict.empty());
  EXPECT_TRUE(result.plan.placement.empty());
}

TEST(Slice, StopsWhenInterrupted) {
  const SliceInstance instance = ring_instance({.flows = 12, .tight = true, .seed = 2});
  SliceWatch watch;
  watch.interrupted = [] { return true; };
  const SliceResult result = slice(instance, {.threads = 1}, watch);
  EXPECT_EQ(result.plan.placement.size(), 12u);  // the first run rounds its first stage all the same
  EXPECT_EQ(result.status, result.verdict.feasible() ? SliceStatus::placed : SliceStatus::interrupted);
}

TEST(Uncertain, DrawsHaveTheStatedMeanAndSpread) {
  const SliceInstance instance = ring_instance({.flows = 2, .seed = 1});
  for (const auto* text : {"lognormal:0.5", "uniform:0.5"}) {
    const auto demand = UncertainDemand::from_distribution(text, instance);
    const double rate = instance.flows[0].rate;
    constexpr int count = 20000;
    double sum = 0, squares = 0;
    for (int i = 0; i < count; ++i) {
      const double drawn = demand.draw(static_cast<std::uint64_t>(i))[0] / rate;
      ASSERT_GE(drawn, 0);
      sum += drawn;
      squares += drawn * drawn;
    }
    const double mean = sum / count, deviation = std::sqrt(squares / count - mean * mean);
    const double stated = text[0] == 'l' ? 0.5 : 0.5 / std::sqrt(3.0);
    EXPECT_NEAR(mean, 1, 5 * stated / std::sqrt(count));  // false alarm: 6e-7
    EXPECT_NEAR(deviation, stated, 0.03);
  }
}

TEST(Uncertain, SampledRowsHaveTheCapacityRowsAsMean) {
  const SliceInstance instance = ring_instance({.flows = 3, .seed = 1});
  const Formulation formulation(instance);
  const SampledCapacities rows(formulation, UncertainDemand::from_distribution("uniform:0.5", instance));
  const MeanRows estimate = estimate_mean(AnyStochasticRows(rows), 4000, Stream(1, Purpose::constraint));
  const Matrix difference = Matrix(estimate.matrix) - Matrix(rows.mean().matrix);
  EXPECT_LT(difference.cwiseAbs().maxCoeff(), 5 * 4 * 0.5 / std::sqrt(3.0 * 4000));  // rates are at most 4
  EXPECT_GT(difference.cwiseAbs().maxCoeff(), 0);
}

TEST(Uncertain, OverloadIsAsLikelyAsItMustBe) {
  const SliceInstance instance = line_instance();  // rate 2, uniform on [1, 3]; B and C bear 3, links 5
  const auto demand = UncertainDemand::from_distribution("uniform:0.5", instance);
  SliceInstance tight = instance;
  tight.nodes[1].capacity = 2.5;  // exceeded with probability 1/4
  const SlicePlan plan{{{1}}, {{{0, 1, {{{0}, 2}}}, {1, 2, {{{2}, 2}}}}}};
  const Overload overload = measure_overload(tight, plan, demand, 1);
  EXPECT_NEAR(overload.nodes[1], 0.25, 5 * std::sqrt(0.25 * 0.75 / 10000));  // false alarm: 6e-7
  EXPECT_EQ(overload.any, overload.nodes[1]);
  EXPECT_EQ(overload.links.maxCoeff(), 0);
}

// A rate of 2, uniform on [1, 3]; everything bears 2.5, so a margin of 0.2 is the largest with a plan and no
// margin makes overload rarer than 1/4.
TEST(Margin, IsTheSmallestThatWillDoOrNone) {
  SliceInstance instance = line_instance();
  const auto demand = UncertainDemand::from_distribution("uniform:0.5", instance);
  const MarginChoice easy = choose_margin(instance, demand, 0.05, {.runs = 1});  // nodes of 3 are never full
  EXPECT_TRUE(easy.kept);
  EXPECT_EQ(easy.margin, 0);
  EXPECT_EQ(easy.overload->any, 0);
  EXPECT_EQ(easy.looks, 1);
  for (auto& node : instance.nodes) node.capacity = 2.5;
  const MarginChoice none = choose_margin(instance, demand, 0.05, {.runs = 1});
  EXPECT_FALSE(none.kept);
  EXPECT_TRUE(none.result.feasible());
  EXPECT_NEAR(none.overload->any, 0.25, 5 * std::sqrt(0.25 * 0.75 / 10000));  // false alarm: 6e-7
  EXPECT_LE(none.margin, 0.2 + 1e-9);
}

TEST(Uncertain, AlgorithmTwoPlansWithAMargin) {
  const SliceInstance instance = ring_instance({.flows = 10, .seed = 1});
  const auto demand = UncertainDemand::from_distribution("lognormal:0.2", instance);
  const auto chance_of_overload = [&](double margin) {
    const SliceInstance planning = planning_instance(instance, demand, margin);
    const SliceResult result = slice(planning, {.runs = 1}, {}, &demand);
    EXPECT_TRUE(result.feasible());
    EXPECT_GT(result.runs[0].stages, 0);
    return measure_overload(instance, result.plan, demand, 1).any;
  };
  EXPECT_LT(chance_of_overload(0.2), 0.5 * chance_of_overload(0) + 1e-12);
}

}  // namespace
}  // namespace bridle
