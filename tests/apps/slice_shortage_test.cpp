#include <gtest/gtest.h>

#include "bridle/apps/slicing/shortage.hpp"

#include "tests/apps/slice_instances.hpp"

namespace bridle {
namespace {

TEST(Shortage, NamesFlowsAndAFactorThatWouldDo) {
  SliceInstance instance = line_instance();
  instance.flows.push_back({"flow2", 2, 0, 1, {0}});  // the other way, with room
  EXPECT_TRUE(shortage_of(instance, {}, {}).flows.empty());
  instance.links[2].capacity = 1.25;  // B -> C, which the first flow's 2 must pass
  const Shortage lack = shortage_of(instance, {}, {});
  EXPECT_EQ(lack.flows, (std::vector<std::size_t>{0}));
  EXPECT_NEAR(lack.rate, 0.75, 1e-6);
  EXPECT_NEAR(lack.least_factor, 1.6, 1e-6);
  ASSERT_TRUE(lack.factor);
  EXPECT_GE(*lack.factor, 1.6);
  EXPECT_LT(*lack.factor, 1.62);
  EXPECT_TRUE(slice(with_larger_links(instance, *lack.factor), {}).feasible());
  instance.nodes[1].capacity = instance.nodes[2].capacity = 1.5;
  EXPECT_EQ(shortage_of(instance, {}, {}).least_factor, infinity);
}

}  // namespace
}  // namespace bridle
