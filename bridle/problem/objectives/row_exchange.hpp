// Rows of a data set that lie on several processes, brought to those that want them.
#pragma once

#include <vector>

#include "bridle/core/processes.hpp"
#include "bridle/problem/objectives/features.hpp"

namespace bridle {

struct LabelledRows {
  Features features;
  Vector labels;
};

// The rows that this process wants of those that all bring: it brings those from number `first` on, and the
// processes bring theirs in their order. Each row is wanted once. A collective.
LabelledRows exchanged(const LabelledRows& brought, Index first, const std::vector<Index>& wanted,
                       const Processes& among);

}  // namespace bridle
