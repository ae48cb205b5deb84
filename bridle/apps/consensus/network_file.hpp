// A problem file with a section [network] -> NetworkProblem. The keys are described in docs/consensus.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bridle/network/network_problem.hpp"
#include "bridle/network/ranks.hpp"

namespace bridle {

struct StatedNetwork {
  NetworkProblem problem;
  Territory territory;
  std::string description;  // one line: the objective
  std::string network;      // one line: the graph and the shards
  std::vector<std::string> notes;
};

// `seed` makes up random graphs and shards. A process keeps the data of the nodes it hosts alone, and where
// every node has a file it reads theirs alone. A collective of `ranks`.
StatedNetwork read_network(const std::string& path, std::uint64_t seed, const Ranks& ranks = {});

// The edges of a CSV file: from,to or from,to,probability per line, nodes counted from 0; a first line that
// has no number is a header. `probability` is that of edges that do not say; `nodes` is how many there are,
// where that is known. Throws InputError.
std::vector<Edge> read_edges(const std::string& path, double probability, std::optional<Index> nodes = {});

}  // namespace bridle
