// The smallest margin, of those tried, at which a plan for random rates is overloaded seldom enough.
#pragma once

#include <optional>

#include "bridle/apps/slicing/objective.hpp"

namespace bridle {

struct MarginTrial {
  double margin = 0;
  double cost = infinity;  // of the plan; infinite where none was found
  double share = 1;        // of the rehearsal's samples in which some capacity is exceeded
};

struct MarginChoice {
  double margin = 0;
  bool kept = false;        // the share of fresh samples that overload the plan is as small as was asked
  bool broken_off = false;  // by the user or by the time limit: other margins might do better
  SliceResult result;       // the plan at this margin; where none will do, the one that is overloaded least
  std::optional<Overload> overload;  // on fresh samples; nothing without a plan
  int looks = 0;  // at fresh samples: each is one at draws of their own, or at the held-out samples
  std::vector<MarginTrial> trials;  // in the order in which they were made
};

// The margin is sought to 0.01, on the rehearsal's samples, among which the share must stay below `most` by
// two standard errors; then the plan is measured on fresh ones. Where these disagree the margin grows further
// and others are drawn. The time limit is that of the whole search, and its time that of the result.
MarginChoice choose_margin(const SliceInstance& instance, const UncertainDemand& demand, double most,
                           const SliceOptions& options, const SliceWatch& watch = {},
                           SliceObjective objective = SliceObjective::traffic);

}  // namespace bridle
