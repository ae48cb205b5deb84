// What `bridle slice` is asked, and the instance that comes of it.
#pragma once

#include <optional>
#include <string>

#include "bridle/apps/slicing/generate.hpp"
#include "bridle/apps/slicing/slice.hpp"

#include "command.hpp"

namespace bridle::cli {

struct SliceArguments {
  std::string network, flows, functions, objective = "traffic";
  std::optional<std::string> chain, capacities;
  std::string uncertain, samples, json, report, write_instance, write_lp;
  std::optional<double> margin, overload;
  std::optional<double> max_delay;
  double capacity_factor = 1;
  bool tight = false, quiet = false;
  std::uint64_t instance_seed = 0;
  SliceOptions options;
};

void add_slice_options(CLI::App& command, SliceArguments& arguments);

SliceObjective objective_of(const SliceArguments& arguments);
SliceInstance load_instance(const SliceArguments& arguments);
// The same with the modules that the network's file offers, where --capacities installed leaves them out.
std::optional<SliceInstance> load_with_modules(const SliceArguments& arguments);

}  // namespace bridle::cli
