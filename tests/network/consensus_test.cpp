// Decentralised runs: the loop against a plain one over dense vectors, the bytes against their model, and
// convergence where no single draw of the graph is connected. The judge has the last word.
#include "bridle/network/consensus.hpp"

#include <gtest/gtest.h>

#include "bridle/certify/certify.hpp"
#include "bridle/core/threads.hpp"
#include "bridle/network/central_objective.hpp"
#include "bridle/network/gossip_nodes.hpp"
#include "bridle/network/safeguarded_nodes.hpp"
#include "bridle/network/storm_nodes.hpp"
#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/problem/objectives/quadratic.hpp"
#include "bridle/problem/sets/box.hpp"

#include "tests/allocations.hpp"
#include "tests/properties.hpp"
#include "tests/tolerances.hpp"

namespace bridle {
namespace {

// f_i(x) = |x - c_i|^2 / 2 + noise over a box: the mean of the f_i is least at the mean of the c_i, and no
// node knows it.
struct Targets : NetworkProblem {
  Problem whole;  // the centralised problem, stated on its own
};
Targets targets(Graph graph, Index n, double noise, double bound = 10) {
  SparseColumns identity(n, n);
  identity.setIdentity();
  std::vector<AnyObjective> shards;
  Vector mean = Vector::Zero(n);
  const auto nodes = static_cast<double>(graph.nodes);
  double offset = 0;
  for (Index i = 0; i < graph.nodes; ++i) {
    const Vector target = test::random_vector(n, static_cast<std::uint64_t>(i) + 50, 2);
    shards.emplace_back(Quadratic(identity, -target, target.squaredNorm() / 2, {.additive = noise}));
    mean += target / nodes;
    offset += target.squaredNorm() / 2 / nodes;
  }
  Problem whole(Quadratic(identity, -mean, offset, {.additive = noise}));
  const Box box(Vector::Constant(n, -bound), Vector::Constant(n, bound));
  whole.within(box);
  std::vector<double> weights(shards.size(), 1.0);
  return {{std::move(shards), std::move(weights), std::move(graph), box}, std::move(whole)};
}

Graph graph_of(const char* kind, Index nodes, double p) {
  return find_graph(kind)->make({.nodes = nodes, .probability = p});
}

TEST(Consensus, LoopEqualsThePlainOne) {
  constexpr Index n = 4, nodes = 5;
  const Targets problem = targets(graph_of("complete", nodes, 0.4), n, 0.5, 1.0);
  const Parameters p{.tau = 0.1, .eta = 0.2, .beta = 0.05, .mu = 0.5, .rho = 0.7, .alpha = 1};
  const Territory all(problem.graph, 0, 1);
  OneProcess exchange;
  constexpr double bound = 0.3;
  SafeguardedNodes loop(problem, {}, all, exchange, {.seed = 4, .dual_bound = bound});

  // A as a dense matrix over the stacked x, one row per edge and coordinate.
  const auto edges = static_cast<Index>(problem.graph.edges.size());
  Matrix a = Matrix::Zero(edges * n, nodes * n);
  for (Index e = 0; e < edges; ++e)
    for (Index k = 0; k < n; ++k) {
      const Edge& edge = problem.graph.edges[static_cast<std::size_t>(e)];
      a(e * n + k, edge.from * n + k) = edge.probability;
      a(e * n + k, edge.to * n + k) = -edge.probability;
    }
  const LinkDraws draws(4, Purpose::constraint);
  Vector x = Vector::Zero(nodes * n), z = x, y = Vector::Zero(edges * n), one(n);
  std::uint64_t resets = 0;
  for (std::uint64_t t = 0; t < 200; ++t) {
    Vector weight = Vector::Zero(edges * n), g(nodes * n);  // 1/p on the rows that are up
    for (Index e = 0; e < edges; ++e)
      if (draws.up(e, 0.4, t)) weight.segment(e * n, n).setConstant(1 / 0.4);
    const Vector drawn = weight.cwiseProduct(a * x);
    y += p.eta * drawn;
    for (Index e = 0; e < edges; ++e)
      if (y.segment(e * n, n).norm() >= bound / 0.4) y.segment(e * n, n).setZero(), ++resets;
    for (Index i = 0; i < nodes; ++i) {
      Sampler sampler(endless, Sampling::reshuffled, node_seed(4, i));
      problem.shards[static_cast<std::size_t>(i)].gradient(x.segment(i * n, n), sampler(t), one);
      g.segment(i * n, n) = one;
    }
    g += a.transpose() * (y + p.rho * drawn) + p.mu * (x - z);
    z += p.beta * (x - z);
    x = (x - p.tau * g).cwiseMax(-1).cwiseMin(1);
    loop.step(p);
  }
  EXPECT_GT(resets, 0u);
  EXPECT_EQ(loop.states().resets, resets);
  EXPECT_LT((loop.points().reshaped() - x).norm(), 1e-10);
  EXPECT_LT((loop.states().z.reshaped() - z).norm(), 1e-10);
}

// Algorithm 4's estimates follow the recursions written out here.
template <class Loop>
void compare_storm_with_plain_recursion(bool literal) {
  constexpr Index n = 3, nodes = 4;
  const Targets problem = targets(graph_of("ring", nodes, 0.6), n, 0.5);
  const Parameters p{.tau = 0.05, .eta = 0.1, .beta = 0.05, .mu = 0.5, .rho = 0.7, .alpha = 0.3};
  const Territory all(problem.graph, 0, 1);
  OneProcess exchange;
  Loop loop(problem, {}, all, exchange, {.seed = 4, .batch = 2, .first_batch = 5});

  const auto& edges = problem.graph.edges;
  const auto count = static_cast<Index>(edges.size());
  const LinkDraws draws(4, Purpose::constraint), draws1(4, Purpose::constraint_1),
      draws2(4, Purpose::constraint_2);
  Matrix x = Matrix::Zero(n, nodes), before = x, z = x, d = x, h = x;
  Matrix y = Matrix::Zero(n, count), c = y;
  Vector one(n);
  for (std::uint64_t t = 0; t < 100; ++t) {
    const double memory = t == 0 ? 0 : 0.7;
    const std::uint64_t size = t == 0 ? 5 : 2, first = t == 0 ? 0 : 5 + 2 * (t - 1);
    d *= memory;
    for (Index i = 0; i < nodes; ++i) {
      Sampler sampler(endless, Sampling::reshuffled, node_seed(4, i));
      for (std::uint64_t k = 0; k < size; ++k) {
        const auto& shard = problem.shards[static_cast<std::size_t>(i)];
        shard.gradient(x.col(i), sampler(first + k), one);
        d.col(i) += one / static_cast<double>(size);
        shard.gradient(before.col(i), sampler(first + k), one);
        d.col(i) -= memory * one / static_cast<double>(size);
      }
    }
    Matrix g = d + p.mu * (x - z);
    h *= 0.7;  // the estimate of A'(y + rho A x), by literal draws
    for (Index e = 0; e < count; ++e) {
      const auto [from, to, probability] = edges[static_cast<std::size_t>(e)];
      const double up = draws.up(e, probability, t) ? 1 : 0;
      c.col(e) = up * (x.col(from) - x.col(to)) + 0.7 * (c.col(e) - up * (before.col(from) - before.col(to)));
      const Vector y_before = y.col(e);
      y.col(e) += p.eta * c.col(e);
      const double mean = literal ? 0 : probability;
      g.col(from) += mean * (y.col(e) + p.rho * c.col(e));
      g.col(to) -= mean * (y.col(e) + p.rho * c.col(e));
      const double seen = draws1.up(e, probability, t) ? 1 : 0,
                   both = draws2.up(e, probability, t) ? seen : 0;
      const Vector now = seen * y.col(e) + both * p.rho * (x.col(from) - x.col(to));
      const Vector then = seen * y_before + both * p.rho * (before.col(from) - before.col(to));
      h.col(from) += now - 0.7 * then;
      h.col(to) -= now - 0.7 * then;
    }
    if (literal) g += h;
    before = x;
    z += p.beta * (x - z);
    x -= p.tau * g;
    loop.step(p);
  }
  EXPECT_LT((loop.points() - x).norm(), 1e-10);
  EXPECT_LT((loop.states().z - z).norm(), 1e-10);
}

TEST(Consensus, StormEqualsThePlainRecursion) {
  compare_storm_with_plain_recursion<StormNodes>(false);
  compare_storm_with_plain_recursion<LiteralStormNodes>(true);
}

#ifdef BRIDLE_COUNTS_MALLOC
TEST(Consensus, StepsDoNotAllocate) {
  const Targets problem = targets(graph_of("complete", 6, 0.5), 40, 0);
  const Territory all(problem.graph, 0, 1);
  OneProcess exchange;
  const Parameters p{.tau = 0.1, .eta = 0.1, .beta = 0.1, .mu = 0.5, .rho = 0.5, .alpha = 0.5};
  const auto allocated = [&](NodeLoop&& loop) {
    loop.step(p);
    const long before = allocations;
    for (int t = 0; t < 100; ++t) loop.step(p);
    return allocations - before;
  };
  EXPECT_EQ(allocated(SafeguardedNodes(problem, {}, all, exchange, {})), 0);
  EXPECT_EQ(allocated(LiteralNodes(problem, {}, all, exchange, {})), 0);
  EXPECT_EQ(allocated(StormNodes(problem, {}, all, exchange, {})), 0);
  EXPECT_EQ(allocated(LiteralStormNodes(problem, {}, all, exchange, {})), 0);
  EXPECT_EQ(allocated(GossipNodes(problem, {}, all, exchange, {})), 0);
}
#endif

TEST(Consensus, GraphThatIsNeverConnected) {
  const Targets problem = targets(graph_of("grid", 16, 0.05), 6, 0.2);
  const ConsensusOptions options{.samples = 16 * 20000, .tolerance = 2e-2, .seed = 2};
  const ConsensusResult result = consensus(problem, options);

  const LinkDraws draws(2, Purpose::constraint);
  for (std::uint64_t t = 0; t < result.iterations + result.finishing_rounds; ++t) {
    Graph now{16, {}};
    for (std::size_t e = 0; e < problem.graph.edges.size(); ++e)
      if (draws.up(static_cast<Index>(e), 0.05, t)) now.edges.push_back(problem.graph.edges[e]);
    ASSERT_THROW(now.check(), InputError) << "connected at iteration " << t;
  }
  EXPECT_EQ(result.status, Status::stationary);
  EXPECT_LE(result.consensus_error, 1e-3);
  EXPECT_TRUE(certify(problem.whole, result.mean, Vector(0)).holds(options.tolerance));
}

TEST(Consensus, EveryGraphBringsTheNodesTogether) {
  for (const auto& kind : all_graphs()) {
    const Targets problem = targets(kind.make({.nodes = 9, .probability = 0.5, .radius = 0.7}), 3, 0.1);
    const ConsensusResult result = consensus(problem, {.samples = 9 * 20000, .tolerance = 2e-2});
    EXPECT_LE(result.consensus_error, 1e-3) << kind.name;
    EXPECT_TRUE(certify(problem.whole, result.mean, Vector(0)).holds(2e-2)) << kind.name;
  }
}

TEST(Consensus, EveryAlgorithmBringsTheNodesTogether) {
  for (const auto& algorithm : consensus_algorithms())
    for (const bool literal : {false, true}) {
      const Targets problem = targets(graph_of("grid", 9, 0.5), 3, 0.1);
      const ConsensusOptions options{.samples = 9 * 40000,
                                     .tolerance = 2e-2,
                                     .algorithm = std::string(algorithm.name),
                                     .literal_draws = literal};
      if (literal && algorithm.name == "gossip") {
        EXPECT_THROW(consensus(problem, options), InputError) << algorithm.name;
        continue;
      }
      const ConsensusResult result = consensus(problem, options);
      EXPECT_LE(result.consensus_error, 1e-3) << algorithm.name << literal;
      EXPECT_TRUE(certify(problem.whole, result.mean, Vector(0)).holds(2e-2)) << algorithm.name << literal;
    }
  EXPECT_THROW(consensus(targets(graph_of("ring", 4, 1), 3, 0), {.algorithm = "storms"}), InputError);
}

// A point per link that is up and end (two points with Algorithm 4); the finishing rounds send one.
TEST(Consensus, BytesAreThoseOfTheModel) {
  const Targets problem = targets(graph_of("grid", 9, 0.3), 5, 0.1);
  const LinkDraws zeta(7, Purpose::constraint), zeta1(7, Purpose::constraint_1),
      zeta2(7, Purpose::constraint_2);
  for (const auto& algorithm : consensus_algorithms())
    for (const bool literal : {false, true}) {
      if (literal && algorithm.name == "gossip") continue;
      const ConsensusResult result = consensus(problem, {.samples = 9 * 1000,
                                                         .seed = 7,
                                                         .algorithm = std::string(algorithm.name),
                                                         .literal_draws = literal});
      const double points = algorithm.name == "safeguarded-storm" ? 2 : 1;
      Vector bytes = Vector::Zero(9);
      for (std::uint64_t t = 0; t < result.iterations + result.finishing_rounds; ++t)
        for (std::size_t e = 0; e < problem.graph.edges.size(); ++e) {
          const auto up = [&](const LinkDraws& draws) { return draws.up(static_cast<Index>(e), 0.3, t); };
          const bool finishing = t >= result.iterations;
          if (up(zeta) || (literal && !finishing && up(zeta1) && up(zeta2)))
            for (const Index end : {problem.graph.edges[e].from, problem.graph.edges[e].to})
              bytes[end] += (finishing ? 1 : points) * 5 * sizeof(double);
        }
      EXPECT_EQ(result.bytes_per_node, bytes) << algorithm.name << literal;
      const double chance = literal ? 0.3 + 0.7 * 0.09 : 0.3;
      test::expect_mean(result.up_fraction, chance, std::sqrt(chance * (1 - chance)),
                        12 * static_cast<double>(result.iterations), "edges up");
    }
}

// What the ranks work out together is what a process alone knows.
TEST(Consensus, CentralObjectiveIsTheMeanOfTheNodes) {
  const Targets problem = targets(graph_of("ring", 5, 1), 3, 0.1);
  const Territory all(problem.graph, 0, 1);
  OneProcess exchange;
  const AnyObjective central = central_objective(problem, all, exchange);
  const Vector x = test::random_vector(3, 8, 1);
  Vector own(3), expected(3), mean = Vector::Zero(3);
  central.mean_gradient(x, own);
  problem.whole.objective().mean_gradient(x, expected);
  EXPECT_LT((own - expected).norm(), 1e-12);
  EXPECT_NEAR(*central.mean_value(x), *problem.whole.objective().mean_value(x), 1e-12);
  constexpr int draws = 20000;
  for (Sample s = 0; s < draws; ++s) {
    central.gradient(x, s, own);
    mean += own / draws;
  }
  for (Index j = 0; j < 3; ++j)  // noise 0.1 per node and coordinate at most, mean of 5
    test::expect_mean(mean[j], expected[j], 0.1 / std::sqrt(5.0), draws, "sampled gradients");
}

// Nodes without value functions: the judge goes by gradients, and the run can be certified.
TEST(Consensus, NodesWithoutValuesAreCertified) {
  struct Pull {
    double target;
    Index dimension() const { return 1; }
    Index sample_count() const { return 2; }
    void gradient(ConstVectorRef x, Sample i, VectorRef out) const {
      out[0] = x[0] - target + (i == 0 ? 0.1 : -0.1);
    }
  };
  NetworkProblem problem = targets(graph_of("ring", 3, 1), 1, 0.1);
  problem.shards = {Pull{1}, Pull{2}, Pull{3}};
  const Territory all(problem.graph, 0, 1);
  OneProcess exchange;
  const AnyObjective central = central_objective(problem, all, exchange);
  EXPECT_FALSE(central.has_value());
  const Certificate there = certify(problem.over_set(central), Vector::Constant(1, 2.0), Vector(0));
  EXPECT_LE(there.error(), 1e-12);
}

TEST(Consensus, OneNodeIsTheCentralisedRun) {
  const Targets problem = targets({1, {}}, 4, 0.1);
  const ConsensusResult result = consensus(problem, {.samples = 20000, .tolerance = 1e-2});
  EXPECT_EQ(result.consensus_error, 0);
  EXPECT_TRUE(certify(problem.whole, result.mean, Vector(0)).holds(1e-2));
}

TEST(Consensus, SameSeedSameBits) {
  const Targets problem = targets(graph_of("ring", 6, 0.5), 3, 0.1);
  const Matrix first = consensus(problem, {.samples = 6000}).points;
  EXPECT_EQ(first, consensus(problem, {.samples = 6000}).points);
  EXPECT_NE(first, consensus(problem, {.samples = 6000, .seed = 2}).points);
}

// Nodes and variables enough to be worth threads, and objectives that may be asked from several.
TEST(Consensus, SameBitsOnAnyThreads) {
  constexpr Index nodes = 40, n = 1500;
  std::vector<AnyObjective> shards;
  for (std::uint64_t i = 0; i < nodes; ++i)
    shards.emplace_back(LinearModel(DenseRows<double>(test::random_matrix(4, n, i)), test::vec(1, -1, 1, 1),
                                    LogisticLoss{}, Vector::Constant(n, 0.1)));
  const NetworkProblem problem{std::move(shards), std::vector<double>(nodes, 1.0),
                               graph_of("ring", nodes, 0.5),
                               Box(Vector::Constant(n, -0.01), Vector::Constant(n, 0.01))};
  for (const auto& algorithm : consensus_algorithms()) {
    const ConsensusOptions options{.samples = nodes * 30, .algorithm = std::string(algorithm.name)};
    const Matrix alone = consensus(problem, options).points;
    for (const unsigned threads : {2U, 7U}) {
      use_threads(threads);
      const Matrix together = consensus(problem, options).points;
      use_threads(1);
      EXPECT_EQ(together, alone) << algorithm.name << " on " << threads;
    }
  }
}

TEST(Consensus, ProblemsThatDoNotFitAreRefused) {
  NetworkProblem problem = targets(graph_of("ring", 4, 1), 3, 0);
  problem.shards.pop_back();
  EXPECT_THROW(consensus(problem), InputError);
  problem = targets(graph_of("ring", 4, 1), 3, 0);
  problem.weights.pop_back();
  EXPECT_THROW(consensus(problem), InputError);
  problem = targets(graph_of("ring", 4, 1), 3, 0);
  problem.shards[2] = targets(graph_of("ring", 4, 1), 5, 0).shards[2];
  EXPECT_THROW(consensus(problem), InputError);
}

}  // namespace
}  // namespace bridle
