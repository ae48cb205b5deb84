// A problem's data dealt out to the nodes of a network.
#pragma once

#include <cstdint>

#include "bridle/network/network_problem.hpp"

namespace bridle {

enum class Shards {
  equal,    // a random share of the rows for every node
  by_label  // rows sorted by label, then cut: most nodes see one class only
};

// The objective's samples split into one shard per node of the graph, sizes as even as they come. An
// objective that is no linear model has no rows to split: with Shards::equal every node holds it whole and
// draws samples of its own. Throws InputError.
NetworkProblem deal_out(Problem whole, Graph graph, Shards shards, std::uint64_t seed);

// One shard per node: positions in the order of the rows.
NetworkProblem deal_out(Problem whole, Graph graph, const std::vector<std::vector<Index>>& rows);

}  // namespace bridle
