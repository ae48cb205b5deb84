// Delays of links, bounds on those of ways, and what plans are to be good at.
#include <cmath>

#include <gtest/gtest.h>

#include "bridle/apps/slicing/chain_search.hpp"
#include "bridle/apps/slicing/delays.hpp"
#include "bridle/apps/slicing/objective.hpp"
#include "bridle/core/error.hpp"

#include "tests/apps/slice_exhaustive.hpp"
#include "tests/apps/slice_instances.hpp"

namespace bridle {
namespace {

// Random delays from 1/2 to 2.
SliceInstance delayed_ring(std::size_t flows, std::uint64_t seed) {
  SliceInstance out = ring_instance({.flows = flows, .tight = true, .seed = seed});
  for (std::size_t l = 0; l < out.links.size(); ++l)
    out.links[l].delay = 0.5 + 1.5 * Stream(seed, Purpose::noise).uniform(l);
  return out;
}

// The cheapest way within the bound, by going through all ways that pass no node twice on a leg.
class AllWays {
 public:
  AllWays(const SliceInstance& instance, const SliceFlow& flow, const Hosting& hosting, const Vector& price)
      : instance_(instance), flow_(flow), hosting_(hosting), price_(price) {}
  double cheapest() {
    leg(0, 0, 0);
    return best_;
  }

 private:
  void leg(std::size_t s, double cost, double delay) {
    if (s > hosting_.size()) {
      if (delay <= flow_.max_delay) best_ = std::min(best_, cost);
      return;
    }
    std::vector<bool> passed(instance_.nodes.size(), false);
    walk(s, leg_start(flow_, hosting_, s), cost, delay, passed);
  }
  void walk(std::size_t s, std::size_t at, double cost, double delay, std::vector<bool> passed) {
    if (at == leg_end(flow_, hosting_, s)) return leg(s + 1, cost, delay);
    passed[at] = true;
    for (std::size_t l = 0; l < instance_.links.size(); ++l)
      if (instance_.links[l].from == at && !passed[instance_.links[l].to])
        walk(s, instance_.links[l].to, cost + price_[static_cast<Index>(l)], delay + instance_.links[l].delay,
             passed);
  }
  const SliceInstance& instance_;
  const SliceFlow& flow_;
  const Hosting& hosting_;
  const Vector& price_;
  double best_ = infinity;
};

TEST(QuickWay, IsTheCheapestOfAllThatAreQuickEnough) {
  int within = 0, beyond = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SliceInstance instance = delayed_ring(4, seed);
    const Vector price = random_prices(instance, seed);
    const ShortestPaths cheapest = shortest_paths(instance, price),
                        quickest = shortest_paths(instance, instance.link_delays());
    const Placement placement = random_placement(instance, seed);
    for (std::size_t k = 0; k < placement.size(); ++k)
      for (const double bound : {3.0, 5.0, 8.0}) {
        SliceFlow flow = instance.flows[k];
        flow.max_delay = bound;
        const double least = AllWays(instance, flow, placement[k], price).cheapest();
        const auto way = cheapest_quick_way(instance, flow, placement[k], price, cheapest, quickest);
        ASSERT_EQ(way.has_value(), least < infinity);
        ++(way ? within : beyond);
        if (way) {
          EXPECT_NEAR(way->cost, least, 1e-12);
        }
      }
  }
  EXPECT_GT(within, 10);
  EXPECT_GT(beyond, 5);
}

TEST(MaxDelay, FindsTheBestOfAllPlacementsThatKeepIt) {
  int felt = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SliceInstance instance = delayed_ring(3, seed);
    const SliceResult free = slice(instance, {.seed = seed, .threads = 1});
    if (!free.feasible()) continue;
    const double most = 0.85 * free.verdict.longest.maxCoeff();
    for (auto& flow : instance.flows) flow.max_delay = most;
    const double best = Exhaustive(instance).best();
    const SliceResult result = slice(instance, {.seed = seed, .threads = 1});
    if (best == infinity) {
      EXPECT_FALSE(result.feasible()) << seed;
      continue;
    }
    ASSERT_TRUE(result.feasible()) << seed;
    felt += best > free.verdict.cost + 1e-6 ? 1 : 0;
    EXPECT_NEAR(result.verdict.cost, best, 1e-6 * best) << seed;
    EXPECT_LE(result.bound.value, best * (1 + 1e-9)) << seed;
    EXPECT_LE(result.verdict.longest.maxCoeff(), most * (1 + 1e-9));
  }
  EXPECT_GT(felt, 0);
}

// From A over B, which hosts f, to C; on both legs a quick link and a slow one, each for half of the traffic.
SliceInstance two_speeds() {
  SliceInstance out;
  out.functions = {"f"};
  out.nodes = {{"A", 0, {}, 0, 0}, {"B", 9, {0}, 1, 0}, {"C", 0, {}, 2, 0}};
  out.links = {{0, 1, 1, 1}, {0, 1, 1, 3}, {1, 2, 1, 1}, {1, 2, 1, 3}};
  out.flows = {{"flow1", 0, 2, 2, {0}, 4}};
  return out;
}

TEST(MaxDelay, HoldsForWholeWays) {
  const SliceInstance instance = two_speeds();
  const SliceResult result = slice(instance, {.runs = 1});
  ASSERT_TRUE(result.feasible());  // slow and quick, quick and slow
  EXPECT_EQ(result.verdict.longest[0], 4);
  ASSERT_EQ(result.plan.ways[0].size(), 2u);
  SlicePlan plan = result.plan;
  plan.ways.clear();  // then the routes may go together in any way, and slow and slow is too slow
  EXPECT_FALSE(judge_plan(instance, plan).feasible());
  EXPECT_EQ(judge_plan(instance, plan).longest[0], 6);
  plan.ways = {{{{{0}, {2}}, 1}, {{{1}, {3}}, 1}}};  // the other pairs: the same routes, one way too slow
  EXPECT_FALSE(judge_plan(instance, plan).feasible());
  plan.ways = {{{{{0}, {3}}, 2}}};  // quick enough, but not what the routes say
  EXPECT_FALSE(judge_plan(instance, plan).feasible());
  plan.ways = {{{{{0}, {3}}, 1}}};  // half of the flow
  EXPECT_FALSE(judge_plan(instance, plan).feasible());
  plan.ways = {{{{{1}, {2}}, 1}, {{{0}, {3}}, 1}}};
  EXPECT_TRUE(judge_plan(instance, plan).feasible());
  plan.ways[0][0].legs = {{2}, {1}};
  EXPECT_FALSE(judge_plan(instance, plan).feasible());
}

TEST(MaxDelay, TooSmallIsProven) {
  SliceInstance instance = two_speeds();
  instance.flows[0].max_delay = 3.5;  // quick and quick is for half of the traffic only
  EXPECT_EQ(slice(instance, {.runs = 1}).status, SliceStatus::infeasible);
  instance.flows[0].max_delay = 1.5;
  const SliceResult result = slice(instance, {.runs = 1});
  ASSERT_EQ(result.status, SliceStatus::infeasible);
  EXPECT_EQ(result.bound.conflict, (Names{"max_delay 1.5 of flow flow1 (its quickest way takes 2)"}));
}

TEST(Objective, DelayTakesTheQuickerWayAndTrafficTheShorter) {
  SliceInstance instance = line_instance();  // a second way from A to B, of two quick links
  instance.nodes.push_back({"D", 0, {}, 1, 1});
  instance.links.push_back({0, 3, 5, 0.2});
  instance.links.push_back({3, 1, 5, 0.2});
  const SliceResult traffic = slice_for(instance, SliceObjective::traffic, {.runs = 1});
  EXPECT_NEAR(traffic.verdict.cost, 4, 1e-9);
  const SliceInstance by_delay = with_objective(instance, SliceObjective::delay);
  const SliceResult delay = slice_for(by_delay, SliceObjective::delay, {.runs = 1});
  ASSERT_TRUE(delay.feasible());
  EXPECT_NEAR(delay.verdict.cost, 2 * 1.4, 1e-9);
  EXPECT_NEAR(delay.verdict.delay, delay.verdict.cost, 1e-12);
  EXPECT_NEAR(delay.verdict.traffic, 6, 1e-9);
  EXPECT_NEAR(delay.bound.value, delay.verdict.cost, 1e-6);
}

TEST(Objective, BalanceLoadsCapacitiesEvenly) {
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    const SliceInstance instance = ring_instance({.flows = 6, .seed = seed});
    const SliceResult traffic = slice_for(instance, SliceObjective::traffic, {.seed = seed, .runs = 1}),
                      balance = slice_for(instance, SliceObjective::balance, {.seed = seed, .runs = 1});
    ASSERT_TRUE(balance.feasible());
    EXPECT_LT(balance.verdict.largest_use, traffic.verdict.largest_use);
    EXPECT_GE(balance.verdict.largest_use, balance.bound.value * (1 - 1e-9));
    EXPECT_LT(balance.gap(), 0.2);
    EXPECT_EQ(balance.verdict.largest_use, judge_plan(instance, balance.plan).largest_use);
  }
}

TEST(Objective, BranchesProveABalance) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const SliceInstance instance = ring_instance({.flows = 3, .seed = seed});
    const SliceResult without = slice_for(instance, SliceObjective::balance,
                                          {.seed = seed, .runs = 1, .branches = 0}),
                      with = slice_for(instance, SliceObjective::balance, {.seed = seed, .runs = 1});
    ASSERT_TRUE(with.feasible());
    EXPECT_LE(with.verdict.largest_use, without.verdict.largest_use);
    EXPECT_GE(with.bound.value, without.bound.value);
    EXPECT_LE(with.gap(), 2e-4) << "before: " << without.gap();
  }
}

TEST(Delays, ComeFromTheFileOrTheCoordinates) {
  Network network = ring();
  network.links = {{0, 1}, {1, 2}};
  network.nodes[0] = {"A", 0, 0};
  network.nodes[1] = {"B", 1, 0};
  network.nodes[2] = {"C", 1, 1};
  EXPECT_NEAR(delays_of(network)[0], 6371 * std::acos(-1) / 180 / 200,
              1e-9);                 // a degree of the equator, in ms
  network.nodes[2] = {"C", 1, 401};  // no degrees
  EXPECT_EQ(delays_of(network), (std::vector<double>{1, 401}));
  for (auto& node : network.nodes) node.x = node.y = 0;
  EXPECT_EQ(delays_of(network), (std::vector<double>{1, 1}));
  network.links[0].delay = 7;
  EXPECT_THROW(delays_of(network), InputError);
  network.links[1].delay = 0;
  EXPECT_EQ(delays_of(network), (std::vector<double>{7, 0}));
}

}  // namespace
}  // namespace bridle
