// Rounds of neighbour averaging x <- W x over the links that are up, with Metropolis weights
// W_ij = 1 / (1 + max(degree_i, degree_j)): W is symmetric and doubly stochastic, so that the mean stays.
#pragma once

#include "bridle/network/link_draws.hpp"

namespace bridle {

class Averaging {
 public:
  Averaging(const Graph& graph, const Territory& territory, std::uint64_t seed)
      : graph_(graph),
        territory_(territory),
        draws_(seed, Purpose::constraint),
        degree_(static_cast<std::size_t>(graph.nodes)) {}

  // Draws round t for the whole graph: a degree is that of a node, wherever it is hosted.
  void draw(std::uint64_t t, std::vector<std::size_t>& up);
  // Weight of a link that is up in the round drawn last.
  double weight(Index from_node, Index to_node) const {
    return 1.0 / (1 + std::max(degree_[static_cast<std::size_t>(from_node)],
                               degree_[static_cast<std::size_t>(to_node)]));
  }
  double weight(const Link& link) const {
    return weight(territory_.node(link.from), territory_.node(link.to));
  }

  // Rounds from t = first on after which disagreement has shrunk by `reduction`, found by averaging made-up
  // numbers: every rank finds the same without a message. At most `most`.
  std::uint64_t rounds_for(double reduction, std::uint64_t first, std::uint64_t most);

 private:
  const Graph& graph_;
  const Territory& territory_;
  LinkDraws draws_;
  std::vector<int> degree_;  // of every node, links that are up
};

}  // namespace bridle
