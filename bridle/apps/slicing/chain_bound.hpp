// A lower bound on the cost of every placement: the linear program over whole chains. A column is one flow's
// hosting with a way along it, and columns are made when their price is right; so the functions of a chain
// stay on different nodes, and the bound is at least that of the program over single links with the cut.
//
// What proves a bound are prices of the capacities: whatever they are, no placement costs less than every
// flow's cheapest chain at these prices minus what the capacities are worth.
#pragma once

#include "bridle/apps/slicing/capacity_prices.hpp"
#include "bridle/apps/slicing/clp_stop.hpp"
#include "bridle/apps/slicing/instance.hpp"

namespace bridle {

struct ChainBound {
  double value = 0;       // no placement costs less
  CapacityPrices prices;  // the proof
  double seconds = 0;
  int rounds = 0;
  int branches = 0;         // over hostings, by which the value was raised above what the prices prove
  bool infeasible = false;  // then `prices` prove that no placement keeps all capacities ...
  Names conflict;           // ... and these are the capacities with a price, the heaviest first
};

ChainBound bound_cost(const SliceInstance& instance, const StopRequest& stop = {});

// The smallest capacity that, given to every link, lets the linear program keep all capacities of the nodes.
double smallest_uniform_capacity(const SliceInstance& instance, const StopRequest& stop = {});

}  // namespace bridle
