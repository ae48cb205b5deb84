#include "bridle/apps/slicing/chain_bound.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "bridle/apps/slicing/chain_program.hpp"
#include "bridle/apps/slicing/units.hpp"

namespace bridle {
namespace {

constexpr double overload_price = 1000;

// Prices that prove that the capacities contradict each other.
std::optional<CapacityPrices> contradiction(const SliceInstance& instance, const StopRequest& stop,
                                            int& rounds) {
  auto lack = ChainProgram(instance, ChainGoal::overload, 1, stop).solve();
  rounds += lack.rounds;
  // Rounding of the sum must not make a proof.
  if (!(lack.bound > 1e-9 * (instance.total_rate() + worth(instance, lack.prices, ChainGoal::overload))))
    return {};
  return std::move(lack.prices);
}

// Leaves out capacities one by one, the cheapest first, while the others still contradict each other: at the
// end every one of them is needed for the contradiction.
CapacityPrices irreducible(SliceInstance instance, CapacityPrices prices, const StopRequest& stop,
                           int& rounds) {
  const double plenty = instance.work() + instance.total_rate();  // more than any node or link can get
  const auto nodes = static_cast<Index>(instance.nodes.size());
  const auto capacity = [&](Index row) -> double& {
    return row < nodes ? instance.nodes[static_cast<std::size_t>(row)].capacity
                       : instance.links[static_cast<std::size_t>(row - nodes)].capacity;
  };
  const auto price = [&](Index row) { return row < nodes ? prices.nodes[row] : prices.links[row - nodes]; };
  std::vector<bool> needed(static_cast<std::size_t>(nodes) + instance.links.size(), false);
  for (;;) {
    Index cheapest = -1;
    for (Index row = 0; row < static_cast<Index>(needed.size()); ++row) {
      if (price(row) <= 0) capacity(row) = std::max(capacity(row), plenty);
      if (price(row) > 0 && !needed[static_cast<std::size_t>(row)] &&
          (cheapest < 0 || price(row) < price(cheapest)))
        cheapest = row;
    }
    if (cheapest < 0) return prices;
    const double kept = capacity(cheapest);
    capacity(cheapest) = std::max(kept, plenty);
    if (auto fewer = contradiction(instance, stop, rounds)) {
      prices = std::move(*fewer);
    } else {
      capacity(cheapest) = kept;
      needed[static_cast<std::size_t>(cheapest)] = true;
    }
  }
}

Names conflict_of(const SliceInstance& instance, const CapacityPrices& prices) {
  std::vector<std::pair<double, std::string>> rows;
  const double most = std::max(prices.nodes.maxCoeff(), prices.links.maxCoeff());
  for (std::size_t i = 0; i < instance.nodes.size(); ++i)
    if (const double price = prices.nodes[static_cast<Index>(i)]; price > 1e-6 * most)
      rows.emplace_back(price, fmt::format("node {} (capacity {:.6g})", instance.nodes[i].name,
                                           instance.nodes[i].capacity));
  for (std::size_t l = 0; l < instance.links.size(); ++l)
    if (const double price = prices.links[static_cast<Index>(l)]; price > 1e-6 * most)
      rows.emplace_back(
          price, fmt::format("link {} (capacity {:.6g})", instance.link_name(l), instance.links[l].capacity));
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  Names out;
  for (auto& [price, name] : rows) out.push_back(std::move(name));
  return out;
}

// The least delay of a flow along hosts that are large enough for it.
double quickest(const SliceInstance& instance, SliceFlow flow) {
  flow.max_delay = infinity;
  ChainSearch search(instance, flow);
  const ShortestPaths paths = shortest_paths(instance, instance.link_delays());
  search.set_lengths(paths.length);
  Hosting hosting;
  double least = infinity;
  search.best(
      least, [](std::size_t, std::size_t) { return 0.0; }, hosting);
  return least / flow.rate;
}

// The flow that no hosting is large enough for, or near enough: the capacities of all that offer the function
// in its way.
std::optional<Names> flow_without_host(const SliceInstance& instance) {
  for (const auto& flow : instance.flows) {
    ChainSearch search(instance, flow);
    const ShortestPaths paths =
        shortest_paths(instance, Vector::Ones(static_cast<Index>(instance.links.size())));
    search.set_lengths(paths.length);
    Hosting hosting;
    double limit = infinity;
    if (search.best(
            limit, [](std::size_t, std::size_t) { return 0.0; }, hosting))
      continue;
    Names out;
    for (std::size_t i = 0; i < instance.nodes.size(); ++i) {
      const SliceNode& node = instance.nodes[i];
      const bool offers = std::any_of(flow.chain.begin(), flow.chain.end(), [&](std::size_t f) {
        return std::find(node.functions.begin(), node.functions.end(), f) != node.functions.end();
      });
      if (offers && node.capacity < flow.rate)
        out.push_back(fmt::format("node {} (capacity {:.6g} < rate {:.6g} of flow {})", node.name,
                                  node.capacity, flow.rate, flow.name));
    }
    if (const double least = quickest(instance, flow); least < infinity && flow.in_a_hurry()) {
      out = {fmt::format("max_delay {:.6g} of flow {} (its quickest way takes {:.6g})", flow.max_delay,
                         flow.name, least)};
    }
    if (out.empty())
      out.push_back(
          fmt::format("the directions of the links (flow {} has no way along different hosts)", flow.name));
    return out;
  }
  return {};
}

}  // namespace

ChainBound bound_cost(const SliceInstance& stated, const StopRequest& stop) {
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  ChainBound out;
  if (auto conflict = flow_without_host(stated)) {
    out.value = infinity;
    out.infeasible = true;
    out.conflict = std::move(*conflict);
    out.seconds = seconds();
    return out;
  }
  const InUnits units = in_units(stated);
  const SliceInstance& instance = units.instance;
  ChainProgram program(instance, ChainGoal::cost, overload_price, stop);
  const auto cost = program.solve();
  out.value = units.cost(cost.bound);
  out.prices = cost.prices;
  out.rounds = cost.rounds;
  if (!(stop && stop()) && program.overload() > 1e-9 * instance.total_rate()) {
    if (auto prices = contradiction(instance, stop, out.rounds)) {
      out.infeasible = true;
      out.value = infinity;
      out.prices = irreducible(instance, std::move(*prices), stop, out.rounds);
      out.conflict = conflict_of(stated, out.prices);
    }
  }
  out.seconds = seconds();
  return out;
}

double smallest_uniform_capacity(const SliceInstance& stated, const StopRequest& stop) {
  const InUnits units = in_units(stated);
  return units.unit *
         std::max(0.0, ChainProgram(units.instance, ChainGoal::uniform, overload_price, stop).solve().bound);
}

}  // namespace bridle
