// What one rank sees of the network: the nodes it hosts, their edges, and the neighbours hosted elsewhere.
#pragma once

#include "bridle/network/graph.hpp"

namespace bridle {

// An edge with a hosted end. Its ends are columns of the rank's points: hosted nodes first, then neighbours
// elsewhere.
struct Link {
  Index edge;  // number in the graph
  Index from, to;
  double probability;
};

class Territory {
 public:
  // Rank r of R hosts the nodes r N / R, ..., (r + 1) N / R - 1.
  Territory(const Graph& graph, int rank, int ranks);

  Index nodes() const { return nodes_; }
  Index first() const { return first_; }
  Index hosted() const { return hosted_; }
  Index seen() const { return hosted_ + static_cast<Index>(elsewhere_.size()); }
  bool hosts(Index column) const { return column < hosted_; }
  Index node(Index column) const {
    return hosts(column) ? first_ + column : elsewhere_[static_cast<std::size_t>(column - hosted_)];
  }
  const std::vector<Link>& links() const { return links_; }  // in the order of the graph's edges
  int rank() const { return rank_; }
  int ranks() const { return ranks_; }

  Index first_of(int rank) const { return rank * nodes_ / ranks_; }
  int host_of(Index node) const { return static_cast<int>(((node + 1) * ranks_ - 1) / nodes_); }

 private:
  Index nodes_;
  int rank_, ranks_;
  Index first_, hosted_;
  std::vector<Index> elsewhere_;  // neighbours on other ranks, ascending
  std::vector<Link> links_;
};

}  // namespace bridle
