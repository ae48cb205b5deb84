// The judge: knows the instance and a plan, and nothing of how the plan was made.
#pragma once

#include "bridle/apps/slicing/instance.hpp"

namespace bridle {

struct Verdict {
  double cost = 0;         // rate times what the links cost, added up along the routes
  double traffic = 0;      // rate times links
  double delay = 0;        // rate times delay
  double largest_use = 0;  // of a capacity: the largest part that is loaded
  Vector longest;          // per flow: the delay that none of its traffic exceeds
  double violation = 0;    // the largest of all below, relative to the capacity or rate in question
  std::string worst;       // where that is
  Vector node_load, link_load;
  bool feasible(double tolerance = 1e-8) const { return violation <= tolerance; }  // false for NaN
};

// Of a flow with a bound on its delay every way from its source along its hosts to its target must keep it:
// the plan lists these ways, and the judge checks that they are what its routes carry. Without a list the
// routes of the legs may go together in any way.
//
// Every function on a node that offers it, the functions of a chain on different nodes; every leg's routes
// connected, each of a part of the flow's rate that is no mere crumb, and adding up to it; loads within
// capacities.
Verdict judge_plan(const SliceInstance& instance, const SlicePlan& plan);

}  // namespace bridle
