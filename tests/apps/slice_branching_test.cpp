#include <gtest/gtest.h>

#include "bridle/apps/slicing/branching.hpp"
#include "bridle/apps/slicing/slice.hpp"

#include "tests/apps/slice_exhaustive.hpp"
#include "tests/apps/slice_instances.hpp"

namespace bridle {
namespace {

TEST(Branching, ProvesTheBestOfAllPlacements) {
  int weak = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const SliceInstance instance = ring_instance({.flows = 3, .tight = true, .seed = seed});
    const double best = Exhaustive(instance).best(), root = bound_cost(instance).value;
    if (best == infinity) continue;
    weak += root < 0.99 * best ? 1 : 0;
    const Branching proof = branch_for_cost(instance, best, {1000, 100'000});
    EXPECT_TRUE(proof.complete) << seed;
    EXPECT_NEAR(proof.bound, best, 1e-6 * best) << seed;
    // It finds the best by itself as well.
    const Branching search = branch_for_cost(instance, infinity, {1000, 100'000});
    ASSERT_FALSE(search.placement.empty()) << seed;
    const auto routing = Router(instance, penalty_of_overload).route(search.placement);
    ASSERT_TRUE(routing && routing->overload == 0) << seed;
    EXPECT_NEAR(routing->cost, best, 1e-6 * best) << seed;
    // A search that is cut short proves less, and never too much.
    const Branching begun = branch_for_cost(instance, best, {3, 100'000});
    EXPECT_GE(begun.bound, root * (1 - 1e-6));
    EXPECT_LE(begun.bound, best * (1 + 1e-9));
    EXPECT_LE(begun.branches, 3);
  }
  EXPECT_GE(weak, 2);
}

TEST(Branching, FindsRoomOrProvesThatThereIsNone) {
  int none = 0, some = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SliceInstance instance = ring_instance({.flows = 3, .tight = true, .seed = seed});
    for (auto& link : instance.links) link.capacity *= 0.9;
    if (bound_cost(instance).infeasible) continue;
    const bool possible = Exhaustive(instance).best() < infinity;
    ++(possible ? some : none);
    const Branching search = branch_for_room(instance, {1000, 100'000});
    EXPECT_EQ(!search.placement.empty(), possible) << seed;
    EXPECT_EQ(search.complete && search.placement.empty(), !possible) << seed;
    const SliceResult result = slice(instance, {.runs = 1});
    EXPECT_EQ(result.status, possible ? SliceStatus::placed : SliceStatus::infeasible) << seed;
    if (possible) {
      EXPECT_LT(result.gap(), 1e-6) << seed;
    }
  }
  EXPECT_GE(none, 2);
  EXPECT_GE(some, 2);
}

}  // namespace
}  // namespace bridle
