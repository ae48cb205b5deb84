// Which representation of the iterate a stage gets: all give the same iterates up to rounding, at different
// cost.
#pragma once

#include <string>

#include "bridle/algorithms/iterate.hpp"
#include "bridle/algorithms/modes.hpp"

namespace bridle {

enum class IterateKind {
  dense,  // any objective, any set: several passes over x and z in a step
  fused,  // linear models with few rows, X a box: one pass over x and z
  lazy    // sparse linear models: a step costs the sample's nonzeros, whatever n
};

struct IterateChoice {
  IterateKind kind = IterateKind::dense;
  Modes modes = {};    // lazy: how x and z move together
  double decay = 0;    // lazy, Algorithm 3: alpha / tau
  double touched = 0;  // variables that a step touches, on average
  std::string why =
      {};  // the kind, and what spoke against a cheaper one; empty when there was nothing to choose
};

// For Algorithms 1, 2 and 3 from `start`.
IterateChoice choose_iterate(const StandardForm& form, const Stage& stage, const Iterate& start);
IterateChoice choose_sampled_iterate(const StandardForm& form, const Stage& stage, const Iterate& start);
IterateChoice choose_storm_iterate(const StandardForm& form, const Stage& stage, const Iterate& start);

}  // namespace bridle
