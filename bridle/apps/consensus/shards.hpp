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

// Throws InputError where a problem has rows, for which a network has no place.
void refuse_rows(const Problem& problem);

// The shards of the nodes that this process hosts, cut from the objective's samples, which are those of all
// nodes; sizes as even as they come. An objective that is no linear model has no rows to split: with
// Shards::equal every node holds it whole and draws samples of its own. Throws InputError.
NetworkProblem deal_out(const Problem& whole, Graph graph, Shards shards, const Territory& territory,
                        std::uint64_t seed);

// A data file for every node: the objective's samples are those of the hosted nodes alone, `file_rows` of
// each; `samples` is the number of all.
NetworkProblem deal_out_files(const Problem& hosted, Graph graph, const std::vector<Index>& file_rows,
                              Index samples);

}  // namespace bridle
