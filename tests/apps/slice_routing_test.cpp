// Routes of a placement, and the judge of plans.
#include <cmath>

#include <gtest/gtest.h>

#include "bridle/apps/slicing/chain_search.hpp"
#include "bridle/apps/slicing/crumbs.hpp"
#include "bridle/apps/slicing/judge.hpp"
#include "bridle/apps/slicing/router.hpp"

#include "tests/apps/slice_instances.hpp"

namespace bridle {
namespace {

TEST(Router, PlansAreJudgedSoundAndPricesBoundOtherPlacements) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const SliceInstance instance = ring_instance({.flows = 8, .tight = true, .seed = seed});
    Router router(instance, 30);
    for (std::uint64_t trial = 0; trial < 5; ++trial) {
      const Placement placement = random_placement(instance, 10 * seed + trial);
      const auto routing = router.route(placement);
      ASSERT_TRUE(routing);
      const Verdict verdict = judge_plan(instance, *router.plan(placement));
      EXPECT_NEAR(verdict.cost, routing->cost, 1e-6 * (1 + routing->cost));
      for (Index l = 0; l < verdict.link_load.size(); ++l) {
        const double capacity = instance.links[static_cast<std::size_t>(l)].capacity;
        EXPECT_LE(verdict.link_load[l], capacity * (1 + 1e-8) + routing->overload);
      }
      // By duality, its prices bound the cost of every other placement from below.
      const Placement other = random_placement(instance, 100 * seed + trial);
      const ShortestPaths paths = shortest_paths(instance, routing->prices.array() + 1);
      double least = 0;
      for (std::size_t l = 0; l < instance.links.size(); ++l)
        least -= routing->prices[static_cast<Index>(l)] * instance.links[l].capacity;
      for (std::size_t k = 0; k < other.size(); ++k) {
        ChainSearch search(instance, instance.flows[k]);
        search.set_lengths(paths.length);
        least += search.cost(other[k]);
      }
      const auto of_other = router.route(other);
      EXPECT_LE(least, of_other->cost + 30 * of_other->overload + 1e-6);
    }
  }
}

TEST(Router, SplitsWhatOneWayCannotCarry) {
  SliceInstance instance = line_instance();  // a second, longer way from A to B
  instance.nodes.push_back({"D", 0, {}, 1, 1});
  instance.links.push_back({0, 3, 5});
  instance.links.push_back({3, 1, 5});
  instance.links[0].capacity = 1.5;
  Router router(instance, 30);
  const auto routing = router.route({{1}});
  EXPECT_NEAR(routing->cost, 1.5 + 0.5 * 2 + 2, 1e-6);
  EXPECT_EQ(routing->overload, 0);
  EXPECT_NEAR(routing->prices[0], 1, 1e-6);  // a unit more would save the detour's extra link
  const SlicePlan plan = *router.plan({{1}});
  EXPECT_EQ(plan.legs[0][0].routes.size(), 2u);
  EXPECT_TRUE(judge_plan(instance, plan).feasible());
}

// A second way from A to B, and room for all but a ten-millionth of the traffic on the first.
TEST(Router, MakesNoWaysOfCrumbs) {
  SliceInstance instance = line_instance();
  instance.nodes.push_back({"D", 0, {}, 1, 1});
  instance.links.push_back({0, 3, 5});
  instance.links.push_back({3, 1, 5});
  instance.links[0].capacity = 2 - 2e-7;
  const SlicePlan plan = *Router(instance, 30).plan({{1}});
  ASSERT_EQ(plan.legs[0][0].routes.size(), 2u);
  EXPECT_NEAR(plan.legs[0][0].routes[1].rate, 2 * smallest_split, 1e-9);
  EXPECT_TRUE(judge_plan(instance, plan).feasible());

  instance.links[0].capacity = 2;
  SlicePlan crumbs{{{1}}, {{{0, 1, {{{0}, 2 - 1e-9}, {{4, 5}, 1e-9}}}, {1, 2, {{{2}, 2}}}}}};
  EXPECT_FALSE(judge_plan(instance, crumbs).feasible());
  sweep_crumbs(instance, crumbs);
  EXPECT_EQ(crumbs.legs[0][0].routes.size(), 1u);
  EXPECT_EQ(crumbs.legs[0][0].routes[0].rate, 2);
  EXPECT_TRUE(judge_plan(instance, crumbs).feasible());
}

TEST(Judge, RefusesEveryKindOfFault) {
  const SliceInstance instance = line_instance();
  const SlicePlan sound{{{1}}, {{{0, 1, {{{0}, 2}}}, {1, 2, {{{2}, 2}}}}}};
  ASSERT_TRUE(judge_plan(instance, sound).feasible());
  EXPECT_EQ(judge_plan(instance, sound).cost, 4);
  const auto refused = [&](auto&& spoil) {
    SlicePlan plan = sound;
    SliceInstance changed = instance;
    spoil(plan, changed);
    return !judge_plan(changed, plan).feasible();
  };
  EXPECT_TRUE(refused([](SlicePlan& p, SliceInstance&) { p.placement[0] = {0}; }));
  EXPECT_TRUE(refused([](SlicePlan& p, SliceInstance&) { p.placement[0].clear(); }));
  EXPECT_TRUE(refused([](SlicePlan& p, SliceInstance&) { p.legs[0][1].routes[0].links = {0}; }));
  EXPECT_TRUE(refused([](SlicePlan& p, SliceInstance&) { p.legs[0][1].routes.clear(); }));
  EXPECT_TRUE(refused([](SlicePlan& p, SliceInstance&) { p.legs[0][0].routes[0].rate = 1.99; }));
  EXPECT_TRUE(refused([](SlicePlan& p, SliceInstance&) { p.legs[0][0].routes[0].rate = std::nan(""); }));
  EXPECT_TRUE(refused([](SlicePlan& p, SliceInstance&) { p.legs[0][0].routes = {{{0}, 3}, {{0}, -1}}; }));
  EXPECT_TRUE(refused([](SlicePlan& p, SliceInstance&) { p.legs[0][0].routes = {{{0}, 2}, {{0}, 0}}; }));
  EXPECT_TRUE(refused([](SlicePlan& p, SliceInstance&) {
    p.legs[0][0].routes = {{{0}, 2 - 1e-6}, {{0}, 1e-6}};  // half a millionth
  }));
  EXPECT_TRUE(refused([](SlicePlan&, SliceInstance& i) { i.nodes[1].capacity = 1.9; }));
  EXPECT_TRUE(refused([](SlicePlan&, SliceInstance& i) { i.links[2].capacity = 0; }));
  EXPECT_TRUE(refused([](SlicePlan& p, SliceInstance& i) {  // two functions of a chain on one node
    i.functions.push_back("g");
    i.nodes[1].functions.push_back(1);
    i.nodes[1].capacity = 9;
    i.flows[0].chain = {0, 1};
    p.placement[0] = {1, 1};
    p.legs[0].insert(p.legs[0].begin() + 1, {1, 1, {}});
  }));
}

}  // namespace
}  // namespace bridle
