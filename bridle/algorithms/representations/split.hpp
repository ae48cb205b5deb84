// Which variables the lazy iterate of Algorithm 1 moves one by one in every step: the block. All others are
// touched with their samples only.
//
// In the block are variables with bounds that their rows, their z or their ridge may push them against, and
// where there are many rows those of short rows. Rows whose variables are all in the block cost their
// entries; the others, the carried rows, are few and may have entries everywhere.
#pragma once

#include <string>
#include <vector>

#include "bridle/algorithms/representations/modes.hpp"
#include "bridle/scaling/standard_form.hpp"

namespace bridle {

struct Split {
  static constexpr Index most_carried = 64, most_in_block = 50'000;

  std::vector<Index> block;         // its variables, ascending
  std::vector<std::int32_t> place;  // of each variable in the block, or -1; empty where there is no block
  std::vector<Index> carried;       // rows that are not in the block alone
  Index bounded = 0;                // variables of the block that are there for their bounds
  Index short_entries = 0;          // of rows in the block

  Index place_of(Index variable) const {
    return place.empty() ? -1 : place[static_cast<std::size_t>(variable)];
  }
};

// For a set that is a box (bounds) and points z from where the run starts.
Split split_of(const StandardForm& form, const ModeClasses& classes, const Bounds& bounds, const Vector& z);

// The carried rows without the block's variables.
SparseRows carried_rows(const StandardForm& form, const Split& split);

}  // namespace bridle
