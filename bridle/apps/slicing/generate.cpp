#include "bridle/apps/slicing/generate.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "bridle/apps/slicing/chain_bound.hpp"
#include "bridle/apps/slicing/delays.hpp"
#include "bridle/apps/slicing/lists.hpp"
#include "bridle/core/error.hpp"
#include "bridle/core/random.hpp"

namespace bridle {
namespace {

constexpr std::size_t function_count = 5, functions_per_host = 3, hosts_per_function = 3;  // made up

// Draws in order, from a stream of their own.
class Dice {
 public:
  Dice(std::uint64_t seed, std::uint64_t what) : stream_(seed, Purpose::generator), counter_(what << 40) {}
  std::size_t below(std::size_t count) { return stream_.below(count, counter_++); }
  double uniform() { return stream_.uniform(counter_++); }
  std::vector<std::size_t> shuffled(std::size_t count) {
    std::vector<std::size_t> out(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t j = below(i + 1);
      out[i] = out[j];
      out[j] = i;
    }
    return out;
  }

 private:
  Stream stream_;
  std::uint64_t counter_;
};

void choose_hosts(SliceInstance& out, std::uint64_t seed) {
  Dice dice(seed, 1);
  for (std::size_t f = 0; f < function_count; ++f) out.functions.push_back(fmt::format("f{}", f + 1));
  const std::size_t hosts = std::max((out.nodes.size() + 1) / 2, std::min<std::size_t>(4, out.nodes.size()));
  std::vector<std::size_t> chosen = dice.shuffled(out.nodes.size());
  chosen.resize(hosts);
  for (const std::size_t host : chosen) {
    const auto order = dice.shuffled(function_count);
    out.nodes[host].functions.assign(order.begin(), order.begin() + functions_per_host);
  }
  for (std::size_t f = 0; f < function_count; ++f) {
    std::size_t have = out.hosts_of(f).size();
    for (const std::size_t at : dice.shuffled(hosts)) {
      if (have >= hosts_per_function) break;
      auto& offered = out.nodes[chosen[at]].functions;
      if (std::find(offered.begin(), offered.end(), f) != offered.end()) continue;
      offered.push_back(f);
      ++have;
    }
  }
  for (auto& node : out.nodes) std::sort(node.functions.begin(), node.functions.end());
}

// Rates are demands in units of their median, kept within [1/4, 4]; with the file's own capacities they are
// the demands themselves. Networks without demands get pairs at random and rates between 1/2 and 2.
void draw_flows(const Network& network, const GenerateOptions& options, SliceInstance& out) {
  Dice dice(options.seed, (2 + options.flows) << 8);
  std::vector<double> values;
  for (const auto& demand : network.demands) values.push_back(demand.value);
  double median = 1;
  if (!values.empty()) {
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                     values.end());
    median = values[values.size() / 2];
  }
  const auto order = dice.shuffled(network.demands.size());
  for (std::size_t k = 0; k < options.flows; ++k) {
    SliceFlow flow;
    flow.name = fmt::format("flow{}", k + 1);
    if (network.demands.empty()) {
      const auto ends = dice.shuffled(out.nodes.size());
      flow.source = ends[0];
      flow.target = ends[1];
      flow.rate = 0.5 * std::pow(4.0, dice.uniform());
    } else {
      const auto& demand = network.demands[order[k % order.size()]];
      flow.source = demand.source;
      flow.target = demand.target;
      flow.rate = options.capacities == Capacities::uniform ? std::clamp(demand.value / median, 0.25, 4.0)
                                                            : demand.value;
    }
    const std::size_t length =
        options.shortest_chain + dice.below(options.longest_chain - options.shortest_chain + 1);
    const auto functions = dice.shuffled(out.functions.size());
    for (std::size_t s = 0; s < length; ++s) flow.chain.push_back(functions[s]);
    out.flows.push_back(std::move(flow));
  }
}

using Stated = std::vector<std::optional<double>>;

void set_node_capacities(SliceInstance& out, const Stated& stated, bool tight) {
  double hosts = 0, largest = 0;
  for (const auto& node : out.nodes) hosts += node.functions.empty() ? 0 : 1;
  for (const auto& flow : out.flows) largest = std::max(largest, flow.rate);
  const double by_rule = std::max((tight ? 1.2 : 1.5) * out.work() / hosts, largest);
  for (std::size_t i = 0; i < out.nodes.size(); ++i)
    if (!out.nodes[i].functions.empty()) out.nodes[i].capacity = stated[i].value_or(by_rule);
}

void set_link_capacities(const Network& network, const GenerateOptions& options, SliceInstance& out) {
  if (options.capacities == Capacities::uniform) {
    const double least = smallest_uniform_capacity(out);
    for (auto& link : out.links) link.capacity = (options.tight ? 1.3 : 2.0) * least;
    return;
  }
  for (std::size_t l = 0; l < network.links.size(); ++l) {
    const auto& link = network.links[l];
    double capacity = link.installed.value_or(0);
    if (options.capacities == Capacities::modules && !link.modules.empty())
      capacity += *std::max_element(link.modules.begin(), link.modules.end());
    if (!(capacity > 0))
      throw InputError(
          network.file, link.line,
          fmt::format("the link {} - {} has no {}; use --capacities {}uniform", network.nodes[link.from].name,
                      network.nodes[link.to].name,
                      options.capacities == Capacities::installed ? "pre-installed capacity"
                                                                  : "pre-installed capacity and no module",
                      link.modules.empty() ? "" : "modules or "));
    const std::size_t ways = network.directed ? 1 : 2;
    for (std::size_t way = 0; way < ways; ++way) out.links[ways * l + way].capacity = capacity;
  }
}

// A chain that is drawn has every function once: a file with few of them makes chains short.
void check_chains(GenerateOptions& options, std::size_t functions) {
  if (!options.function_file.empty()) {
    options.longest_chain = std::min({options.longest_chain, functions, longest_chain});
    options.shortest_chain = std::min(options.shortest_chain, options.longest_chain);
  }
  if (options.shortest_chain < 1 || options.longest_chain < options.shortest_chain ||
      options.longest_chain > functions)
    throw InputError(fmt::format("a chain of {} to {} functions; it must be 1 <= shortest <= longest <= {}",
                                 options.shortest_chain, options.longest_chain, functions));
}

}  // namespace

SliceInstance generate_instance(const Network& network, const GenerateOptions& stated) {
  GenerateOptions options = stated;
  if (options.flow_file.empty() && options.flows == 0) throw InputError("the list of flows is empty");
  SliceInstance out;
  out.name = fmt::format("{} {}{}", network.name, options.flows, options.tight ? " tight" : "");
  for (const auto& node : network.nodes) out.nodes.push_back({node.name, 0, {}, node.x, node.y});
  const std::vector<double> delays = delays_of(network);
  for (std::size_t l = 0; l < network.links.size(); ++l) {
    const auto& link = network.links[l];
    out.links.push_back({link.from, link.to, 0, delays[l]});
    if (!network.directed) out.links.push_back({link.to, link.from, 0, delays[l]});
  }
  Stated capacities(out.nodes.size());
  if (options.function_file.empty())
    choose_hosts(out, options.seed);
  else
    capacities = read_functions(options.function_file, out);
  check_chains(options, out.functions.size());
  if (options.flow_file.empty()) {
    draw_flows(network, options, out);
    for (const auto& flow : out.flows) try {
        check_flow(out, flow);
      } catch (const InputError& error) {
        throw InputError(network.file, 0, error.what());
      }
  } else {
    read_flows(options.flow_file, out, options.function_file);
    out.name = fmt::format("{} {}{}", network.name, out.flows.size(), options.tight ? " tight" : "");
  }
  set_node_capacities(out, capacities, options.tight);
  set_link_capacities(network, options, out);
  return out;
}

}  // namespace bridle
