// Rows of a data set that lie on several processes, brought to those that want them.
#pragma once

#include <functional>

#include "bridle/core/processes.hpp"
#include "bridle/problem/objectives/features.hpp"

namespace bridle {

struct LabelledRows {
  Features features;
  Vector labels;
};

// Which rows every process is to have: process p wants rows row(first_of(p)), ..., row(first_of(p + 1) - 1).
// Each row is wanted once.
struct RowWishes {
  std::function<Index(Index)> first_of, row;
};

// What this process wants of the rows that all bring: it brings those from number `first` on, and the
// processes bring them in their order. A collective; `among` null: this one is alone.
LabelledRows exchanged(const LabelledRows& brought, Index first, const RowWishes& wishes,
                       const Processes* among);

}  // namespace bridle
