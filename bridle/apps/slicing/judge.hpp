// The judge: knows the instance and a plan, and nothing of how the plan was made.
#pragma once

#include "bridle/apps/slicing/instance.hpp"

namespace bridle {

struct Verdict {
  double cost = 0;       // rate times links, added up along the routes
  double violation = 0;  // the largest of all below, relative to the capacity or rate in question
  std::string worst;     // where that is
  Vector node_load, link_load;
  bool feasible(double tolerance = 1e-8) const { return violation <= tolerance; }  // false for NaN
};

// Every function on a node that offers it, the functions of a chain on different nodes; every leg's routes
// connected, each of a part of the flow's rate that is no mere crumb, and adding up to it; loads within
// capacities.
Verdict judge_plan(const SliceInstance& instance, const SlicePlan& plan);

}  // namespace bridle
