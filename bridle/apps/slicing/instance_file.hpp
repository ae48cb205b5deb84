// Complete instances as TOML files, and lists of flows as CSV (docs/slicing.md).
#pragma once

#include "bridle/apps/slicing/instance.hpp"

namespace bridle {

SliceInstance read_instance(const std::string& path);
std::string instance_text(const SliceInstance& instance);  // what read_instance reads back to the same bits

// Lines source,target,rate,chain with the functions of a chain separated by blanks. Names of nodes and
// functions must be the instance's; the flows replace those it has.
void read_flows(const std::string& path, SliceInstance& instance);

}  // namespace bridle
