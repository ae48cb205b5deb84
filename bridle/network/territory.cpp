#include "bridle/network/territory.hpp"

#include <algorithm>

namespace bridle {

Territory::Territory(const Graph& graph, int rank, int ranks)
    : nodes_(graph.nodes),
      rank_(rank),
      ranks_(ranks),
      first_(first_of(rank)),
      hosted_(first_of(rank + 1) - first_) {
  if (ranks > graph.nodes)
    throw InputError(std::to_string(ranks) + " ranks for " + std::to_string(graph.nodes) +
                     " nodes: every rank must host a node");
  const auto here = [&](Index node) { return node >= first_ && node < first_ + hosted_; };
  for (const Edge& edge : graph.edges) {
    if (here(edge.from) && !here(edge.to)) elsewhere_.push_back(edge.to);
    if (here(edge.to) && !here(edge.from)) elsewhere_.push_back(edge.from);
  }
  std::sort(elsewhere_.begin(), elsewhere_.end());
  elsewhere_.erase(std::unique(elsewhere_.begin(), elsewhere_.end()), elsewhere_.end());
  const auto column = [&](Index node) {
    if (here(node)) return node - first_;
    return hosted_ + (std::lower_bound(elsewhere_.begin(), elsewhere_.end(), node) - elsewhere_.begin());
  };
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    const Edge& edge = graph.edges[e];
    if (here(edge.from) || here(edge.to))
      links_.push_back({static_cast<Index>(e), column(edge.from), column(edge.to), edge.probability});
  }
}

}  // namespace bridle
