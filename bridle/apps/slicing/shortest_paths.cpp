#include "bridle/apps/slicing/shortest_paths.hpp"

#include <algorithm>

namespace bridle {

std::vector<std::size_t> ShortestPaths::links(const SliceInstance& instance, std::size_t from,
                                              std::size_t to) const {
  std::vector<std::size_t> out;
  for (std::size_t at = to; at != from; at = instance.links[out.back()].from) out.push_back(last[from][at]);
  std::reverse(out.begin(), out.end());
  return out;
}

ShortestPaths shortest_paths(const SliceInstance& instance, const Vector& price) {
  const std::size_t count = instance.nodes.size();
  std::vector<std::vector<std::size_t>> leaving(count);
  for (std::size_t l = 0; l < instance.links.size(); ++l) leaving[instance.links[l].from].push_back(l);

  const auto size = static_cast<Index>(count);
  ShortestPaths out{Matrix::Constant(size, size, infinity),
                    std::vector(count, std::vector<std::size_t>(count, instance.links.size()))};
  std::vector<bool> settled(count);
  for (std::size_t from = 0; from < count; ++from) {  // Dijkstra; networks are small
    const auto row = static_cast<Index>(from);
    settled.assign(count, false);
    out.length(row, row) = 0;
    for (std::size_t round = 0; round < count; ++round) {
      std::size_t nearest = count;
      for (std::size_t i = 0; i < count; ++i)
        if (!settled[i] && out.length(row, static_cast<Index>(i)) < infinity &&
            (nearest == count ||
             out.length(row, static_cast<Index>(i)) < out.length(row, static_cast<Index>(nearest))))
          nearest = i;
      if (nearest == count) break;
      settled[nearest] = true;
      for (const std::size_t l : leaving[nearest]) {
        const std::size_t to = instance.links[l].to;
        const double length = out.length(row, static_cast<Index>(nearest)) + price[static_cast<Index>(l)];
        if (length < out.length(row, static_cast<Index>(to))) {
          out.length(row, static_cast<Index>(to)) = length;
          out.last[from][to] = l;
        }
      }
    }
  }
  return out;
}

}  // namespace bridle
