#include "bridle/apps/slicing/chain_pricing.hpp"

#include <algorithm>

namespace bridle {

ChainPricing::ChainPricing(const SliceInstance& instance) : instance_(instance) {
  for (const auto& flow : instance.flows) searches_.emplace_back(instance, flow);
  if (instance.has_delay_bounds()) quickest_ = shortest_paths(instance, instance.link_delays());
}

void ChainPricing::set(const CapacityPrices& prices, double hop) {
  prices_ = prices;
  lengths_ = prices.links + hop * instance_.link_costs();
  paths_ = shortest_paths(instance_, lengths_);
  for (auto& search : searches_) search.set_lengths(paths_.length);
}

double ChainPricing::cost(std::size_t k, const Hosting& hosting) const {
  double sum = searches_[k].cost(hosting);
  for (const std::size_t node : hosting)
    sum += instance_.flows[k].rate * prices_.nodes[static_cast<Index>(node)];
  if (instance_.flows[k].in_a_hurry()) sum += instance_.flows[k].rate * detour(k, hosting);
  return sum;
}

std::vector<std::vector<std::size_t>> ChainPricing::shortest_way(std::size_t k,
                                                                 const Hosting& hosting) const {
  const SliceFlow& flow = instance_.flows[k];
  std::vector<std::vector<std::size_t>> out;
  for (std::size_t s = 0; s <= hosting.size(); ++s)
    out.push_back(paths_.links(instance_, leg_start(flow, hosting, s), leg_end(flow, hosting, s)));
  return out;
}

bool ChainPricing::quick_enough(std::size_t k, const std::vector<std::vector<std::size_t>>& legs) const {
  double delay = 0;
  for (const auto& leg : legs)
    for (const std::size_t l : leg) delay += instance_.links[l].delay;
  return delay <= delay_limit(instance_.flows[k]);
}

double ChainPricing::detour(std::size_t k, const Hosting& hosting) const {
  const SliceFlow& flow = instance_.flows[k];
  const double shortest = searches_[k].cost(hosting) / flow.rate;
  if (!(shortest < infinity)) return infinity;
  if (quick_enough(k, shortest_way(k, hosting))) return 0;
  const auto quick = cheapest_quick_way(instance_, flow, hosting, lengths_, paths_, quickest_);
  return quick ? std::max(0.0, quick->cost - shortest) : infinity;
}

std::vector<std::vector<std::size_t>> ChainPricing::way(std::size_t k, const Hosting& hosting) const {
  auto shortest = shortest_way(k, hosting);
  if (!instance_.flows[k].in_a_hurry() || quick_enough(k, shortest)) return shortest;
  return cheapest_quick_way(instance_, instance_.flows[k], hosting, lengths_, paths_, quickest_)->legs;
}

}  // namespace bridle
