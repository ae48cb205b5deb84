// Small networks for the tests of network slicing.
#pragma once

#include <string>

#include "bridle/apps/slicing/generate.hpp"

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

}  // namespace bridle
