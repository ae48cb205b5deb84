// Shortest ways between all nodes when every link has a price per unit of traffic.
#pragma once

#include "bridle/apps/slicing/instance.hpp"

namespace bridle {

struct ShortestPaths {
  Matrix length;                               // (from, to); infinite where there is no way
  std::vector<std::vector<std::size_t>> last;  // [from][to]: the last link of the way

  // The links of the way, in order.
  std::vector<std::size_t> links(const SliceInstance& instance, std::size_t from, std::size_t to) const;
};

// Prices must not be negative. Ties are broken by the order of the links, the same on every machine.
ShortestPaths shortest_paths(const SliceInstance& instance, const Vector& price);

}  // namespace bridle
