// Small networks for the tests of network slicing.
#pragma once

#include <algorithm>
#include <string>

#include "bridle/apps/slicing/generate.hpp"
#include "bridle/core/random.hpp"

namespace bridle {

// A ring of six towns with two chords, and demands between all pairs.
inline Network ring() {
  Network out;
  out.name = "ring";
  out.file = "ring.txt";
  for (int i = 0; i < 6; ++i)
    out.nodes.push_back({std::string(1, static_cast<char>('A' + i)), 1.0 * i, 0.5 * (i % 3)});
  for (std::size_t i = 0; i < 6; ++i) out.links.push_back({i, (i + 1) % 6});
  out.links.push_back({0, 3});
  out.links.push_back({1, 4});
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j)
      if (i != j) out.demands.push_back({i, j, 1.0 + static_cast<double>((3 * i + j) % 4)});
  return out;
}

inline SliceInstance ring_instance(const GenerateOptions& options) {
  return generate_instance(ring(), options);
}

// A - B - C in a line, B and C host f; one flow from A to C of rate 2.
inline SliceInstance line_instance() {
  SliceInstance out;
  out.name = "line";
  out.functions = {"f"};
  out.nodes = {{"A", 0, {}, 0, 0}, {"B", 3, {0}, 1, 0}, {"C", 3, {0}, 2, 0}};
  out.links = {{0, 1, 5}, {1, 0, 5}, {1, 2, 5}, {2, 1, 5}};
  out.flows = {{"flow1", 0, 2, 2, {0}}};
  return out;
}

inline Vector random_prices(const SliceInstance& instance, std::uint64_t seed) {
  Vector out(static_cast<Index>(instance.links.size()));
  for (Index l = 0; l < out.size(); ++l)
    out[l] = Stream(seed, Purpose::generator).uniform(static_cast<std::uint64_t>(l));
  return out;
}

// Calls visit(hosting) for all hostings of a flow on different nodes.
template <class Visit>
void all_hostings(const SliceInstance& instance, const SliceFlow& flow, Hosting& begun, Visit&& visit) {
  if (begun.size() == flow.chain.size()) return visit(begun);
  for (const std::size_t node : instance.hosts_of(flow.chain[begun.size()])) {
    if (std::find(begun.begin(), begun.end(), node) != begun.end()) continue;
    begun.push_back(node);
    all_hostings(instance, flow, begun, visit);
    begun.pop_back();
  }
}

inline Placement random_placement(const SliceInstance& instance, std::uint64_t seed) {
  Placement out;
  for (std::size_t k = 0; k < instance.flows.size(); ++k) {
    std::vector<Hosting> all;
    Hosting begun;
    all_hostings(instance, instance.flows[k], begun, [&](const Hosting& h) { all.push_back(h); });
    out.push_back(all[Stream(seed, Purpose::generator).below(all.size(), 1000 + k)]);
  }
  return out;
}

}  // namespace bridle
