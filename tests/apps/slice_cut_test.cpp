// Networks in pieces, one-way streets, and rates of any size.
#include <algorithm>

#include <gtest/gtest.h>

#include "bridle/apps/slicing/router.hpp"
#include "bridle/apps/slicing/slice.hpp"
#include "bridle/apps/slicing/units.hpp"
#include "bridle/core/error.hpp"

#include "tests/apps/slice_instances.hpp"

namespace bridle {
namespace {

// The line A - B - C with D, which offers f and has no link at all.
SliceInstance cut_instance() {
  SliceInstance out = line_instance();
  out.nodes.push_back({"D", 9, {0}, 3, 0});
  return out;
}

TEST(CutNetwork, HostsWithoutAWayAreNone) {
  const SliceInstance instance = cut_instance();
  EXPECT_EQ(instance.hosts_of(0), (std::vector<std::size_t>{1, 2, 3}));
  EXPECT_EQ(instance.hosts_along(instance.flows[0]).front(), (std::vector<std::size_t>{1, 2}));
  const SliceResult result = slice(instance, {.runs = 1});
  EXPECT_EQ(result.status, SliceStatus::placed);
  EXPECT_TRUE(judge_plan(instance, result.plan).feasible());
  EXPECT_DOUBLE_EQ(result.verdict.cost, 4);
}

// From B a street leads to D, and none back.
TEST(CutNetwork, HostsThatCannotBeLeftAreNone) {
  SliceInstance instance = cut_instance();
  instance.links.push_back({1, 3, 9});
  EXPECT_EQ(instance.hosts_along(instance.flows[0]).front(), (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(slice(instance, {.runs = 1}).status, SliceStatus::placed);
}

// Two streets from A to Z, over (P, Q) and over (R, S): every host lies on a way, not every pair does.
SliceInstance two_streets() {
  SliceInstance out;
  out.name = "two streets";
  out.functions = {"f", "g"};
  out.nodes = {{"A", 0, {}, 0, 0},  {"P", 9, {0}, 1, 1}, {"Q", 9, {1}, 2, 1},
               {"R", 9, {0}, 1, 0}, {"S", 9, {1}, 2, 0}, {"Z", 0, {}, 3, 0}};
  out.links = {{0, 1, 9}, {1, 2, 9}, {2, 5, 9}, {0, 3, 9}, {3, 4, 9}, {4, 5, 9}};
  out.flows = {{"flow1", 0, 5, 2, {0, 1}}, {"flow2", 0, 5, 3, {0, 1}}, {"flow3", 0, 5, 4, {0, 1}}};
  return out;
}

TEST(CutNetwork, PairsOfHostsWithoutAWayAreNoPlan) {
  const SliceInstance instance = two_streets();
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const SliceResult result = slice(instance, {.seed = seed, .runs = 2});
    ASSERT_EQ(result.status, SliceStatus::placed);
    EXPECT_TRUE(judge_plan(instance, result.plan).feasible());
    EXPECT_NEAR(result.verdict.cost, 27, 1e-9);  // three links each
  }
  Router router(instance, penalty_of_overload);
  EXPECT_FALSE(router.route({{1, 4}, {1, 2}, {1, 2}}).has_value());
  EXPECT_FALSE(router.plan({{1, 4}, {1, 2}, {1, 2}}).has_value());
  EXPECT_FALSE(router.plan({{}, {}, {}}).has_value()) << "chains without hosts";
}

// B and C offer both functions, and no street joins them: what runs on one cannot go on to the other.
TEST(CutNetwork, NoWayAlongDifferentHostsIsInfeasibleInWords) {
  SliceInstance instance;
  instance.functions = {"f", "g"};
  instance.nodes = {{"A", 0, {}, 0, 0}, {"B", 9, {0, 1}, 1, 1}, {"C", 9, {0, 1}, 1, 0}, {"Z", 0, {}, 2, 0}};
  instance.links = {{0, 1, 5}, {0, 2, 5}, {1, 3, 5}, {2, 3, 5}};
  instance.flows = {{"flow1", 0, 3, 2, {0, 1}}};
  const SliceResult result = slice(instance, {.runs = 1});
  EXPECT_EQ(result.status, SliceStatus::infeasible);
  ASSERT_EQ(result.bound.conflict.size(), 1U);
  EXPECT_NE(result.bound.conflict[0].find("no way along different hosts"), std::string::npos);
}

TEST(Units, AreNoMatterOfTheOutcome) {
  const SliceInstance instance = ring_instance({.flows = 12, .tight = true, .seed = 3});
  const SliceResult plain = slice(instance, {.runs = 1});
  ASSERT_EQ(plain.status, SliceStatus::placed);
  for (const double unit : {1e-15, 1e12, 1e25}) {
    SliceInstance other = instance;
    for (auto& flow : other.flows) flow.rate *= unit;
    for (auto& node : other.nodes) node.capacity *= unit;
    for (auto& link : other.links) link.capacity *= unit;
    const SliceResult result = slice(other, {.runs = 1});
    ASSERT_EQ(result.status, SliceStatus::placed) << unit;
    EXPECT_TRUE(judge_plan(other, result.plan).feasible());
    EXPECT_NEAR(result.bound.value / unit / plain.bound.value, 1, 1e-6);  // Clp's tolerance is 1e-7
    EXPECT_GE(result.verdict.cost, result.bound.value * (1 - 1e-9));
  }
}

TEST(Units, StayWhereTheyAreUsual) {
  const SliceInstance instance = ring_instance({.flows = 4, .seed = 1});
  EXPECT_EQ(in_units(instance).unit, 1);
  EXPECT_EQ(in_units(instance).instance.links, instance.links);
}

TEST(Units, NobodyMeansAreRefused) {
  SliceInstance instance = line_instance();
  instance.flows[0].rate = 1e300;
  EXPECT_THROW(slice(instance, {}), InputError);
  instance.flows[0].rate = 1e-300;
  EXPECT_THROW(slice(instance, {}), InputError);
  instance.flows[0].rate = 2;
  instance.links[0].capacity = 1e300;
  EXPECT_THROW(slice(instance, {}), InputError);
}

// One flow that no link can carry beside small ones: a verdict, not a crash.
TEST(Units, FarApartEndInAVerdict) {
  SliceInstance instance = line_instance();
  instance.flows.push_back({"flow2", 0, 2, 1e12, {0}});
  EXPECT_EQ(slice(instance, {.runs = 1}).status, SliceStatus::infeasible);
  for (auto& node : instance.nodes) node.capacity = 1e13;
  EXPECT_EQ(slice(instance, {.runs = 1}).status, SliceStatus::infeasible);
  for (auto& link : instance.links) link.capacity = 1e13;
  EXPECT_EQ(slice(instance, {.runs = 1}).status, SliceStatus::placed);
}

}  // namespace
}  // namespace bridle
