// Data dealt out to nodes: every row to one node, and to a process the rows of its own nodes alone.
#include "bridle/apps/consensus/shards.hpp"

#include <numeric>

#include <gtest/gtest.h>

#include "bridle/problem/objectives/linear_model.hpp"

namespace bridle {
namespace {

constexpr Index rows = 23, nodes = 5;

// Row i is (i, 1).
Problem numbered_rows(bool sparse) {
  Matrix data(rows, 2);
  Vector labels(rows);
  for (Index i = 0; i < rows; ++i) {
    data.row(i) << static_cast<double>(i), 1;
    labels[i] = i % 3 ? 1 : -1;
  }
  Features features = sparse ? Features(SparseRows(data.sparseView())) : Features(DenseRows<double>(data));
  return Problem(LinearModel(std::move(features), labels, LogisticLoss{}));
}

std::vector<Index> rows_of(const AnyObjective& shard) {
  const LinearModel& model = *shard.as_linear_model();
  std::vector<Index> out;
  for (Index i = 0; i < model.sample_count(); ++i)
    out.push_back(static_cast<Index>(model.features().dot(i, Vector{{1, 0}})));
  return out;
}

TEST(Shards, ProcessesHoldTheirOwnNodesAlone) {
  const Graph graph = find_graph("ring")->make({.nodes = nodes});
  for (const bool sparse : {false, true})
    for (const Shards kind : {Shards::equal, Shards::by_label}) {
      const Problem whole = numbered_rows(sparse);
      const NetworkProblem all = deal_out(whole, graph, kind, Territory(graph, 0, 1), 3);
      ASSERT_EQ(all.shards.size(), static_cast<std::size_t>(nodes));
      std::vector<Index> dealt;
      for (const auto& shard : all.shards)
        for (const Index row : rows_of(shard)) dealt.push_back(row);
      std::sort(dealt.begin(), dealt.end());
      std::vector<Index> every(rows);
      std::iota(every.begin(), every.end(), Index{0});
      EXPECT_EQ(dealt, every);
      EXPECT_NEAR(std::accumulate(all.weights.begin(), all.weights.end(), 0.0), nodes, 1e-12);

      for (const int ranks : {2, 3, 5})
        for (int rank = 0; rank < ranks; ++rank) {
          const Territory territory(graph, rank, ranks);
          const NetworkProblem own = deal_out(whole, graph, kind, territory, 3);
          ASSERT_EQ(own.shards.size(), static_cast<std::size_t>(territory.hosted()));
          for (std::size_t k = 0; k < own.shards.size(); ++k) {
            const std::size_t node = static_cast<std::size_t>(territory.first()) + k;
            EXPECT_EQ(rows_of(own.shards[k]), rows_of(all.shards[node]));
            EXPECT_EQ(own.weights[k], all.weights[node]);
          }
        }
    }
}

TEST(Shards, ByLabelMostNodesSeeOneClass) {
  const Graph graph = find_graph("ring")->make({.nodes = nodes});
  const NetworkProblem problem =
      deal_out(numbered_rows(false), graph, Shards::by_label, Territory(graph, 0, 1), 3);
  int mixed = 0;
  for (const auto& shard : problem.shards) {
    const Vector& labels = shard.as_linear_model()->labels();
    mixed += labels.minCoeff() != labels.maxCoeff();
  }
  EXPECT_EQ(mixed, 1);
}

TEST(Shards, FilesAreCutWhereTheyWereJoined) {
  const Graph graph = find_graph("ring")->make({.nodes = nodes});
  const NetworkProblem problem = deal_out_files(numbered_rows(true), graph, {3, 20}, 115);
  ASSERT_EQ(problem.shards.size(), 2u);
  EXPECT_EQ(rows_of(problem.shards[0]), (std::vector<Index>{0, 1, 2}));
  EXPECT_EQ(rows_of(problem.shards[1]).front(), 3);
  EXPECT_EQ(rows_of(problem.shards[1]).size(), 20u);
  EXPECT_EQ(problem.weights, (std::vector<double>{3 / 23.0, 20 / 23.0}));
}

TEST(Shards, WhatCannotBeDealtOutIsRefused) {
  const Graph graph = find_graph("ring")->make({.nodes = 24});
  EXPECT_THROW(deal_out(numbered_rows(false), graph, Shards::equal, Territory(graph, 0, 1), 3), InputError);
  const Graph small = find_graph("ring")->make({.nodes = nodes});
  Problem constrained = numbered_rows(false);
  constrained.subject_to(Matrix(Matrix::Ones(1, 2)), Vector::Zero(1), Vector::Zero(1));
  EXPECT_THROW(deal_out(constrained, small, Shards::equal, Territory(small, 0, 1), 3), InputError);
}

}  // namespace
}  // namespace bridle
