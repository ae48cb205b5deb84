// A problem's data dealt out to the nodes of a network.
#pragma once

#include <cstdint>

#include "bridle/network/network_problem.hpp"

namespace bridle {

enum class Shards {
  equal,     // a random share of the rows for every node
  by_label,  // rows sorted by label, then cut: most nodes see one class only
  by_file    // a data file for every node
};

// The objective's samples split into one shard per node of the graph, sizes as even as they come. An
// objective that is no linear model has no rows to split: with Shards::equal every node holds it whole and
// draws samples of its own. Throws InputError.
// `file_rows` are the samples that came from each data file.
NetworkProblem deal_out(Problem whole, Graph graph, Shards shards, const std::vector<Index>& file_rows,
                        std::uint64_t seed);

}  // namespace bridle
