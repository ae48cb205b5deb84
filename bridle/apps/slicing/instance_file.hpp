// Complete instances as TOML files (docs/slicing.md).
#pragma once

#include "bridle/apps/slicing/instance.hpp"

namespace bridle {

SliceInstance read_instance(const std::string& path);
std::string instance_text(const SliceInstance& instance);  // what read_instance reads back to the same bits

}  // namespace bridle
