// Which rows and variables are side by side in RowGroups.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "bridle/algorithms/representations/half_lanes.hpp"
#include "bridle/algorithms/representations/split.hpp"

namespace bridle {

// Four rows and their variables; -1 where there is none.
struct RowGroup {
  using Four = std::array<Index, half_lanes>;
  static constexpr Index none = -1;
  static constexpr Four nobody = {none, none, none, none};

  Four rows = nobody;
  std::vector<Four> variables;  // entry by entry
  bool bounded = false;         // some of them
};

struct GroupPlan {
  static constexpr std::size_t most_others = 64, most_crossing = 16;

  std::vector<RowGroup> groups;  // of the same shape side by side; one may have variables and no rows
  std::vector<Index> grouped;    // their rows, group by group
  std::vector<Index> others;     // rows in no group, ascending
  std::vector<Index> crossing;   // those of the others that have variables in groups: places in `others`

  // Nothing where there is no block, or where too many rows would be others.
  static std::optional<GroupPlan> of(const StandardForm& form, const Split& split);
};

}  // namespace bridle
