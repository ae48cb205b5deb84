// Per flow, the cheapest chain at given prices of the capacities, bounds on delays kept.
#pragma once

#include "bridle/apps/slicing/capacity_prices.hpp"
#include "bridle/apps/slicing/chain_search.hpp"

namespace bridle {

// `hop` is the part of a link's own cost that counts beside the prices.
class ChainPricing {
 public:
  explicit ChainPricing(const SliceInstance& instance);
  void set(const CapacityPrices& prices, double hop);
  // Over all hostings, infinite if there is none; `fits(s, node)` may forbid nodes for function s.
  template <class Fits>
  double cheapest(std::size_t k, Hosting& hosting, Fits&& fits) const {
    const double rate = instance_.flows[k].rate;
    double limit = infinity;
    searches_[k].for_each_below(
        limit,
        [&](std::size_t s, std::size_t node) {
          return fits(s, node) ? rate * prices_.nodes[static_cast<Index>(node)] : infinity;
        },
        [&](const Hosting& found, double cost) {
          if (instance_.flows[k].in_a_hurry()) cost += rate * detour(k, found);
          if (!(cost < limit)) return;
          limit = cost;
          hosting = found;
        });
    return limit;
  }
  double cheapest(std::size_t k, Hosting& hosting) const {
    return cheapest(k, hosting, [](std::size_t, std::size_t) { return true; });
  }
  double cost(std::size_t k, const Hosting& hosting) const;  // of this hosting
  // The cheapest way along it that is quick enough; there must be one.
  std::vector<std::vector<std::size_t>> way(std::size_t k, const Hosting& hosting) const;

 private:
  std::vector<std::vector<std::size_t>> shortest_way(std::size_t k, const Hosting& hosting) const;
  bool quick_enough(std::size_t k, const std::vector<std::vector<std::size_t>>& legs) const;
  // What a flow in a hurry pays beyond the shortest way, per unit of rate; infinite if no way is quick
  // enough.
  double detour(std::size_t k, const Hosting& hosting) const;
  const SliceInstance& instance_;
  std::vector<ChainSearch> searches_;
  CapacityPrices prices_;
  Vector lengths_;  // of the links
  ShortestPaths paths_, quickest_;
};

}  // namespace bridle
