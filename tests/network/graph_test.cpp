#include "bridle/network/graph.hpp"

#include <gtest/gtest.h>

#include "bridle/core/error.hpp"
#include "bridle/network/averaging.hpp"

#include "tests/properties.hpp"
#include "tests/tolerances.hpp"

namespace bridle {
namespace {

Graph make(const char* name, Index nodes, double probability = 1) {
  return find_graph(name)->make({.nodes = nodes, .probability = probability});
}

TEST(Graph, KindsHaveTheEdgesTheyShould) {
  EXPECT_EQ(make("ring", 5).edges.size(), 5u);
  EXPECT_EQ(make("ring", 2).edges.size(), 1u);
  EXPECT_EQ(make("grid", 9).edges.size(), 12u);
  EXPECT_EQ(make("complete", 6).edges.size(), 15u);
  EXPECT_EQ(make("erdos-renyi", 6, 0.1).edges.size(), 15u);
  EXPECT_EQ(make("star", 6).edges.size(), 5u);
  for (const auto& kind : all_graphs())
    for (const Index nodes : {1, 2, 3, 7, 30}) {
      const Graph graph = make(std::string(kind.name).c_str(), nodes, 0.5);
      EXPECT_EQ(graph.nodes, nodes);
      if (kind.name == "geometric") continue;  // may fall apart when small
      EXPECT_NO_THROW(graph.check()) << kind.name << " " << nodes;
    }
  EXPECT_NO_THROW(make("geometric", 200).check());
}

TEST(Graph, DensityIsTheShareOfPairsThatAreEdges) {
  const Graph graph = find_graph("erdos-renyi")->make({.nodes = 100, .density = 0.2});
  const double pairs = 4950;
  test::expect_mean(static_cast<double>(graph.edges.size()) / pairs, 0.2, std::sqrt(0.16), pairs, "density");
}

TEST(Graph, RefusesWhatIsNoNetwork) {
  EXPECT_THROW((Graph{3, {{0, 1}, {1, 3}}}.check()), InputError);  // no node 3
  EXPECT_THROW((Graph{2, {{0, 1}, {1, 1}}}.check()), InputError);  // a loop
  EXPECT_THROW((Graph{2, {{0, 1}, {1, 0}}}.check()), InputError);  // twice
  EXPECT_THROW((Graph{2, {{0, 1, 0.0}}}.check()), InputError);     // never up
  EXPECT_THROW((Graph{4, {{0, 1}, {2, 3}}}.check()), InputError);  // in two pieces
  EXPECT_NO_THROW((Graph{4, {{0, 1}, {2, 3}, {1, 2, 0.01}}}.check()));
}

TEST(Graph, EigenvaluesAreThoseOfTheKnownLaplacians) {
  // Complete graph: N p^2, all of them. Ring: 2 p^2 (1 - cos(2 pi k / N)).
  const Connectivity complete = connectivity(make("complete", 16, 0.3));
  EXPECT_NEAR(complete.largest, 1.44, 0.02 * 1.44);
  EXPECT_NEAR(complete.smallest, 1.44, 1e-6);
  EXPECT_NEAR(complete.largest_chance, 0.21, 1e-12);
  const Connectivity ring = connectivity(make("ring", 10, 0.5));
  EXPECT_NEAR(ring.largest, 1.0, 0.02);
  EXPECT_NEAR(ring.smallest, 0.5 * (1 - std::cos(0.2 * std::numbers::pi)), 1e-6);
}

TEST(Territory, RanksHostEveryNodeOnceAndSeeTheirEdges) {
  const Graph graph = make("geometric", 40);
  for (const int ranks : {1, 3, 7, 40}) {
    Index hosted = 0;
    std::vector<int> seen(graph.edges.size(), 0);
    for (int rank = 0; rank < ranks; ++rank) {
      const Territory territory(graph, rank, ranks);
      hosted += territory.hosted();
      for (Index c = 0; c < territory.hosted(); ++c) EXPECT_EQ(territory.host_of(territory.node(c)), rank);
      for (const Link& link : territory.links()) {
        const Edge& edge = graph.edges[static_cast<std::size_t>(link.edge)];
        EXPECT_EQ(territory.node(link.from), edge.from);
        EXPECT_EQ(territory.node(link.to), edge.to);
        EXPECT_TRUE(territory.hosts(link.from) || territory.hosts(link.to));
        ++seen[static_cast<std::size_t>(link.edge)];
      }
    }
    EXPECT_EQ(hosted, 40);
    for (std::size_t e = 0; e < seen.size(); ++e) {
      const Territory any(graph, 0, ranks);
      const bool inside = any.host_of(graph.edges[e].from) == any.host_of(graph.edges[e].to);
      EXPECT_EQ(seen[e], inside ? 1 : 2);
    }
  }
  EXPECT_THROW(Territory(graph, 0, 41), InputError);
}

TEST(LinkDraws, EdgesAreUpAsOftenAsTheyShouldBeIndependently) {
  const LinkDraws draws(3, Purpose::constraint);
  constexpr double count = 20000, p = 0.05;
  double first = 0, second = 0, both = 0;
  for (std::uint64_t t = 0; t < static_cast<std::uint64_t>(count); ++t) {
    const bool a = draws.up(0, p, t), b = draws.up(1, p, t);
    first += a, second += b, both += a && b;
  }
  test::expect_mean(first / count, p, std::sqrt(p * (1 - p)), count, "edge 0");
  test::expect_mean(second / count, p, std::sqrt(p * (1 - p)), count, "edge 1");
  test::expect_mean(both / count, p * p, p * std::sqrt(1 - p * p), count, "both");
}

TEST(Averaging, RoundsShrinkDisagreementAsPromised) {
  const Graph graph = make("erdos-renyi", 16, 0.05);
  const Territory all(graph, 0, 1);
  Averaging averaging(graph, all, 5);
  const std::uint64_t rounds = averaging.rounds_for(1e-3, 100, 10000);
  EXPECT_GT(rounds, 5u);
  EXPECT_LT(rounds, 500u);
  Vector values = test::random_vector(16, 9);
  const double mean = values.mean(), before = (values.array() - mean).matrix().norm();
  std::vector<std::size_t> up;
  for (std::uint64_t t = 100; t < 100 + 2 * rounds; ++t) {
    averaging.draw(t, up);
    Vector next = values;
    for (const std::size_t k : up) {
      const Link& link = all.links()[k];
      const double flow = averaging.weight(link) * (values[link.to] - values[link.from]);
      next[link.from] += flow;
      next[link.to] -= flow;
    }
    values = next;
  }
  EXPECT_NEAR(values.mean(), mean, 1e-14);
  EXPECT_LT((values.array() - mean).matrix().norm(), 1e-3 * before);
}

// What would fill the memory or take hours is refused before it does.
TEST(Graph, TooLargeIsRefusedAtOnce) {
  EXPECT_THROW(find_graph("complete")->make({.nodes = 20000}), InputError);
  EXPECT_THROW(find_graph("erdos-renyi")->make({.nodes = 1000000, .density = 1e-6}), InputError);
  EXPECT_THROW(find_graph("geometric")->make({.nodes = 19000, .radius = 1.4}), InputError);
  EXPECT_EQ(find_graph("star")->make({.nodes = 1000000}).edges.size(), 999999U);
}

}  // namespace
}  // namespace bridle
