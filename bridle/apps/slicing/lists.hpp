// What a planner keeps in lists, as CSV (docs/slicing.md): which node offers which functions, and the flows.
#pragma once

#include <optional>

#include "bridle/apps/slicing/instance.hpp"

namespace bridle {

// Lines node,capacity,functions with the functions separated by blanks; a capacity that is left empty is
// left to the caller. The functions take the names they have here, the nodes must be the instance's.
// Returns the capacity of each node.
std::vector<std::optional<double>> read_functions(const std::string& path, SliceInstance& instance);

// Lines source,target,rate,chain with the functions of a chain separated by blanks; with a header the
// columns come in its order, and `name` and `max_delay`, which may be left empty, can be among them. Names of
// nodes and functions must be the instance's; the flows replace those it has. `offers` is the file that says
// which functions there are; empty: they were made up, and a message about an unknown one says so.
void read_flows(const std::string& path, SliceInstance& instance, const std::string& offers = "");

}  // namespace bridle
