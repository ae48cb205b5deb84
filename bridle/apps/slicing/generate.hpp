// A complete instance from a topology: hosts, functions, flows and capacities by the rules below, all random
// numbers from the seed.
#pragma once

#include "bridle/apps/slicing/instance.hpp"
#include "bridle/apps/slicing/network.hpp"

namespace bridle {

enum class Capacities {
  uniform,    // all links alike: a multiple of the smallest capacity for which the linear program has a
              // solution
  installed,  // as the file says
  modules     // what is installed plus the largest module
};

struct GenerateOptions {
  std::size_t flows = 40;          // number of flows, drawn from the demands
  std::string flow_file = {};      // or the flows themselves
  std::string function_file = {};  // who offers which functions; empty: made up
  std::size_t shortest_chain = 2, longest_chain = 4;
  bool tight = false;
  Capacities capacities = Capacities::uniform;
  std::uint64_t seed = 1;
};

// Half of the nodes host functions; there are five functions, three or more per host, three or more hosts
// per function: unless a file says who offers what. Hosts whose capacity no file states have 1.5 (tight: 1.2)
// times their share of the work, the links 2 (tight: 1.3) times the smallest uniform one.
SliceInstance generate_instance(const Network& network, const GenerateOptions& options);

}  // namespace bridle
