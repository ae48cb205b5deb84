// The cheapest way of a flow along given hosts that keeps its bound on the delay: labels of cost and delay,
// in order of the cost, on the legs one after the other. Exact; of two labels at one place only the quicker
// counts.
#pragma once

#include <optional>

#include "bridle/apps/slicing/shortest_paths.hpp"

namespace bridle {

struct QuickWay {
  double cost = infinity;                      // per unit of rate, at the prices given
  std::vector<std::vector<std::size_t>> legs;  // links
};

// `price` is what a unit of traffic pays on each link, `cheapest` are the shortest ways at these prices and
// `quickest` those of the delays. Nothing if no way is quick enough.
std::optional<QuickWay> cheapest_quick_way(const SliceInstance& instance, const SliceFlow& flow,
                                           const Hosting& hosting, const Vector& price,
                                           const ShortestPaths& cheapest, const ShortestPaths& quickest);

// Delays are sums: what rounding adds must not forbid a way.
inline double delay_limit(const SliceFlow& flow) { return flow.max_delay * (1 + 1e-12); }

}  // namespace bridle
