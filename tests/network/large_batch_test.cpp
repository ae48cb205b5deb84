// A node's batch may have many samples: a run that is told to stop within one ends with the last whole
// iteration.
#include <gtest/gtest.h>

#include "bridle/network/gossip_nodes.hpp"
#include "bridle/network/safeguarded_nodes.hpp"
#include "bridle/network/storm_nodes.hpp"
#include "bridle/problem/objectives/quadratic.hpp"
#include "bridle/problem/sets/box.hpp"

#include "tests/properties.hpp"

namespace bridle {
namespace {

constexpr Index n = 3, nodes = 4, batch = 3000;  // two questions in the batch of a node

NetworkProblem noisy_targets() {
  SparseColumns identity(n, n);
  identity.setIdentity();
  std::vector<AnyObjective> shards;
  for (std::uint64_t i = 0; i < nodes; ++i)
    shards.emplace_back(Quadratic(identity, test::random_vector(n, i + 1), 0, {.additive = 0.3}));
  return {std::move(shards), std::vector<double>(nodes, 1.0),
          find_graph("ring")->make({.nodes = nodes, .probability = 0.7}),
          Box(Vector::Constant(n, -5), Vector::Constant(n, 5))};
}

template <class Loop>
class LargeBatchOfANode : public testing::Test {
 protected:
  // States after a run of five iterations that is told to stop at this question; 0: never.
  NodeStates stopped_at(int question, std::uint64_t expected) {
    const Territory all(problem_.graph, 0, 1);
    OneProcess exchange;
    int asked = 0;
    Loop loop(problem_, {}, all, exchange,
              {.seed = 4, .batch = batch, .first_batch = batch, .stop = [&] { return ++asked == question; }});
    const Parameters p{.tau = 0.1, .eta = 0.2, .beta = 0.05, .mu = 0.5, .rho = 0.7, .alpha = 0.4};
    const Stage stage{p, {}, 5};
    const std::uint64_t wanted = question > 0 ? 5 : expected;
    EXPECT_EQ(loop.run(stage, 0, wanted), expected);
    return loop.states();
  }

  NetworkProblem problem_ = noisy_targets();
};

using Loops = testing::Types<SafeguardedNodes, StormNodes, GossipNodes>;
TYPED_TEST_SUITE(LargeBatchOfANode, Loops);

TYPED_TEST(LargeBatchOfANode, IsLeftAndTakenBack) {
  constexpr int each = 2 * nodes;  // questions of an iteration
  for (const auto& [question, whole] : {std::pair{1, 0u}, {each, 0u}, {2 * each + 3, 2u}}) {
    const NodeStates left = this->stopped_at(question, whole), wanted = this->stopped_at(0, whole);
    EXPECT_EQ(left.iteration, whole);
    EXPECT_EQ(left.x, wanted.x);
    EXPECT_EQ(left.z, wanted.z);
    EXPECT_EQ(left.y, wanted.y);
    EXPECT_EQ(left.sends, wanted.sends);
    EXPECT_EQ(left.gradient_estimate, wanted.gradient_estimate);
  }
}

}  // namespace
}  // namespace bridle
