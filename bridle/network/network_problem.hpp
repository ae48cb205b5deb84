// minimise (1/N) sum_i w_i f_i(x_i)  subject to  x_i in X,  x_i = x_j over the edges of a random graph.
#pragma once

#include "bridle/network/graph.hpp"
#include "bridle/problem/problem.hpp"

namespace bridle {

struct NetworkProblem {
  Problem whole;                     // the centralised problem, f = (1/N) sum_i w_i f_i: what the judge knows
  std::vector<AnyObjective> shards;  // f_i
  std::vector<double> weights;       // w_i, of mean 1: a node with twice the data counts twice
  Graph graph;

  // Throws InputError when the parts do not fit together, or when there are rows besides consensus.
  void check() const {
    graph.check();
    const auto nodes = static_cast<std::size_t>(graph.nodes);
    if (shards.size() != nodes || weights.size() != nodes)
      throw InputError("the network has " + std::to_string(nodes) + " nodes, but " +
                       std::to_string(shards.size()) + " shards");
    for (const auto& shard : shards)
      if (shard.dimension() != whole.dimension())
        throw InputError("a shard has " + std::to_string(shard.dimension()) + " variables, but the problem " +
                         std::to_string(whole.dimension()));
    if (whole.rows().count() > 0)
      throw InputError(
          "a problem over a network has no rows besides consensus: state x in X by bounds, "
          "simplex, l1 ball or ordered variables");
  }
};

}  // namespace bridle
