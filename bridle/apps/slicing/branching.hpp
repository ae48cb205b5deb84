// Branch and bound over hostings, where the bound over whole chains is weak: with few flows a fraction of a
// chain here and one there may fit where no whole one does. A branch forbids hosts of functions; the bound of
// each is that of the linear program over the chains that are left.
#pragma once

#include "bridle/apps/slicing/clp_stop.hpp"
#include "bridle/apps/slicing/instance.hpp"

namespace bridle {

struct Branching {
  double bound = -infinity;  // no placement costs less
  bool complete = false;     // every branch was closed
  int branches = 0;          // whose linear program was solved
  long iterations = 0;       // of the simplex method, in all of them
  Placement placement;       // one that costs less than what was known; empty if none was met
  double value = infinity;   // what that costs
};

struct BranchingLimits {
  int branches = 0;
  long iterations = 0;  // a measure of time that is the same on every machine
  StopRequest stop = {};
};

// `known` is the cost of a placement, in the units of the instance; a bound within 1e-7 of it ends the
// search. Deterministic: the branch with the least bound is next, of equal ones the youngest.
Branching branch_for_cost(const SliceInstance& instance, double known, const BranchingLimits& limits);

// The same for the largest part of a capacity that is used, to a relative 1e-4.
Branching branch_for_balance(const SliceInstance& instance, double known, const BranchingLimits& limits);

// How many branches a search gets: what the user says, or work of a few seconds where links are many, less
// where they are few.
BranchingLimits limits_of_branching(const SliceInstance& instance, int said, StopRequest stop);

// Whether there is a placement at all: the first that is met, or, if the search is complete, a proof that
// there is none.
Branching branch_for_room(const SliceInstance& instance, const BranchingLimits& limits);

}  // namespace bridle
