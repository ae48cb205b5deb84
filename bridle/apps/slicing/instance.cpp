#include "bridle/apps/slicing/instance.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "bridle/core/error.hpp"

namespace bridle {
namespace {

enum class Direction { along, against };

// Nodes that can be reached from a set of nodes, along the links or against them.
std::vector<bool> reach(const SliceInstance& instance, std::vector<bool> from,
                        Direction direction = Direction::along) {
  for (bool grown = true; grown;) {
    grown = false;
    for (const SliceLink& link : instance.links) {
      const std::size_t tail = direction == Direction::along ? link.from : link.to;
      const std::size_t head = direction == Direction::along ? link.to : link.from;
      if (from[tail] && !from[head]) from[head] = grown = true;
    }
  }
  return from;
}

// Leaves of `hosts` those that can be reached from `reached`, which becomes them.
void keep_reached(const SliceInstance& instance, Direction direction, std::vector<std::size_t>& hosts,
                  std::vector<bool>& reached) {
  const std::vector<bool> wide = reach(instance, std::move(reached), direction);
  std::erase_if(hosts, [&](std::size_t host) { return !wide[host]; });
  reached.assign(instance.nodes.size(), false);
  for (const std::size_t host : hosts) reached[host] = true;
}

bool is_amount(double v) { return v >= 0 && v <= largest_amount; }

// Whether the functions from `next` on can run on different nodes; a chain is short.
bool fits(const std::vector<std::vector<std::size_t>>& hosts, std::size_t next, std::vector<bool>& taken) {
  if (next == hosts.size()) return true;
  for (const std::size_t node : hosts[next]) {
    if (taken[node]) continue;
    taken[node] = true;
    if (fits(hosts, next + 1, taken)) return true;
    taken[node] = false;
  }
  return false;
}

}  // namespace

std::vector<std::size_t> SliceInstance::hosts_of(std::size_t function) const {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto& offered = nodes[i].functions;
    if (std::find(offered.begin(), offered.end(), function) != offered.end()) out.push_back(i);
  }
  return out;
}

std::vector<std::vector<std::size_t>> SliceInstance::hosts_along(const SliceFlow& flow) const {
  std::vector<std::vector<std::size_t>> out;
  std::vector<bool> reached(nodes.size(), false);
  reached[flow.source] = true;
  for (const std::size_t function : flow.chain) {
    out.push_back(hosts_of(function));
    keep_reached(*this, Direction::along, out.back(), reached);
  }
  reached.assign(nodes.size(), false);
  reached[flow.target] = true;
  for (auto hosts = out.rbegin(); hosts != out.rend(); ++hosts)
    keep_reached(*this, Direction::against, *hosts, reached);
  return out;
}

std::string SliceInstance::link_name(std::size_t link) const {
  return nodes[links[link].from].name + " -> " + nodes[links[link].to].name;
}

double SliceInstance::total_rate() const {
  double sum = 0;
  for (const auto& flow : flows) sum += flow.rate;
  return sum;
}

bool SliceInstance::has_delay_bounds() const {
  return std::any_of(flows.begin(), flows.end(), [](const SliceFlow& flow) { return flow.in_a_hurry(); });
}

Vector SliceInstance::link_costs() const {
  Vector out(static_cast<Index>(links.size()));
  for (Index l = 0; l < out.size(); ++l) out[l] = links[static_cast<std::size_t>(l)].cost;
  return out;
}

Vector SliceInstance::link_delays() const {
  Vector out(static_cast<Index>(links.size()));
  for (Index l = 0; l < out.size(); ++l) out[l] = links[static_cast<std::size_t>(l)].delay;
  return out;
}

double SliceInstance::work() const {
  double sum = 0;
  for (const auto& flow : flows) sum += flow.rate * static_cast<double>(flow.chain.size());
  return sum;
}

void check_flow(const SliceInstance& instance, const SliceFlow& flow) {
  const auto refuse = [&](const std::string& why) {
    throw InputError(fmt::format("flow '{}': {}", flow.name, why));
  };
  if (!(flow.rate >= 1 / largest_amount && flow.rate <= largest_amount))
    refuse(fmt::format("the rate is {}; it must be a number > 0, from {:g} to {:g}", flow.rate,
                       1 / largest_amount, largest_amount));
  if (!(flow.max_delay >= 0))
    refuse(fmt::format("the max_delay is {}; it must be a number >= 0", flow.max_delay));
  if (flow.source == flow.target)
    refuse("it starts and ends at the same node '" + instance.nodes[flow.source].name + "'");
  if (flow.chain.size() > longest_chain)
    refuse(
        fmt::format("its chain has {} functions; at most {} are allowed", flow.chain.size(), longest_chain));
  std::vector<std::vector<std::size_t>> hosts;
  std::vector<bool> reached(instance.nodes.size(), false);
  reached[flow.source] = true;
  std::string before = instance.nodes[flow.source].name;
  for (const std::size_t function : flow.chain) {
    hosts.push_back(instance.hosts_of(function));
    const std::string& name = instance.functions[function];
    if (hosts.back().empty()) refuse("no node offers the function '" + name + "' of its chain");
    keep_reached(instance, Direction::along, hosts.back(), reached);
    if (hosts.back().empty())
      refuse(fmt::format("no host of the function '{}' can be reached from '{}': the network is disconnected",
                         name, before));
    before = name;
  }
  if (!reach(instance, reached)[flow.target])
    refuse(fmt::format("'{}' cannot be reached from '{}': the network is disconnected",
                       instance.nodes[flow.target].name, before));
  std::vector<bool> taken(instance.nodes.size(), false);
  if (!fits(hosts, 0, taken))
    refuse(fmt::format("the {} functions of its chain do not fit on different nodes", flow.chain.size()));
}

void check_instance(const SliceInstance& instance) {
  if (instance.nodes.empty()) throw InputError("the network has no nodes");
  if (instance.links.empty()) throw InputError("the network has no links");
  if (instance.flows.empty()) throw InputError("the list of flows is empty");
  for (const auto& node : instance.nodes)
    if (!is_amount(node.capacity))
      throw InputError(fmt::format("node '{}': the capacity is {}; it must be a number from 0 to {:g}",
                                   node.name, node.capacity, largest_amount));
  for (std::size_t l = 0; l < instance.links.size(); ++l)
    if (const double capacity = instance.links[l].capacity; !is_amount(capacity))
      throw InputError(fmt::format("link '{}': the capacity is {}; it must be a number from 0 to {:g}",
                                   instance.link_name(l), capacity, largest_amount));
  for (std::size_t l = 0; l < instance.links.size(); ++l)
    if (const double delay = instance.links[l].delay; !is_amount(delay))
      throw InputError(fmt::format("link '{}': the delay is {}; it must be a number from 0 to {:g}",
                                   instance.link_name(l), delay, largest_amount));
  for (const auto& flow : instance.flows) check_flow(instance, flow);
}

}  // namespace bridle
