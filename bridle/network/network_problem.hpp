// minimise (1/N) sum_i w_i f_i(x_i)  subject to  x_i in X,  x_i = x_j over the edges of a random graph.
#pragma once

#include <algorithm>

#include "bridle/network/territory.hpp"
#include "bridle/problem/problem.hpp"

namespace bridle {

// What one process knows of it: the graph and the set, which all share, and the objectives of the nodes that
// it hosts.
struct NetworkProblem {
  std::vector<AnyObjective> shards;  // f_i of the hosted nodes; of all nodes where there is one process
  std::vector<double> weights;       // w_i of the same; of mean 1 over all nodes: twice the data counts twice
  Graph graph;
  AnySet set;         // X
  Vector start = {};  // where all nodes begin; empty: the projection of 0 onto X
  Names names = {};   // of the variables; empty: the objective's own

  Index dimension() const { return set.dimension(); }
  // min f over X for an objective f of the same variables: that of a node, or of all.
  Problem over_set(const AnyObjective& objective) const {
    Problem out(objective);
    out.within(set);
    if (start.size()) out.start_from(start);
    if (!names.empty()) out.name_variables(names);
    return out;
  }

  // Throws InputError when the parts do not fit together.
  void check(const Territory& territory) const {
    graph.check();
    const auto hosted = static_cast<std::size_t>(territory.hosted());
    if (shards.size() != hosted || weights.size() != hosted)
      throw InputError("there are " + std::to_string(hosted) + " nodes here, but " +
                       std::to_string(shards.size()) + " shards and " + std::to_string(weights.size()) +
                       " weights");
    for (const auto& shard : shards)
      if (shard.dimension() != dimension())
        throw InputError("a shard has " + std::to_string(shard.dimension()) + " variables, but the problem " +
                         std::to_string(dimension()));
  }
};

}  // namespace bridle
