// Ways that carry next to nothing of their flow.
#pragma once

#include "bridle/apps/slicing/instance.hpp"

namespace bridle {

// What a linear program leaves on a way below `smallest_split` of its flow's rate goes along with another way
// of the same leg that has room; where none has, the way is given that least part at the expense of the
// largest.
void sweep_crumbs(const SliceInstance& instance, SlicePlan& plan);
// The same for ways of whole flows.
void sweep_crumbs(const SliceInstance& instance, std::vector<std::vector<Way>>& ways);

}  // namespace bridle
