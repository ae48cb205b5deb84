// Rates in bits per second are of the order of 1e12; tolerances of linear programs are absolute. Programs are
// solved in a unit that makes the largest rate about 1.
#pragma once

#include "bridle/apps/slicing/instance.hpp"

namespace bridle {

struct InUnits {
  SliceInstance instance;  // rates and capacities divided by ...
  double unit = 1;         // ... this power of 2: nothing is rounded
  double cost_unit = 1;    // and what links cost divided by their mean
  double cost(double in_units) const { return unit * cost_unit * in_units; }
  SlicePlan stated(SlicePlan plan_in_units) const;
};

// Rates from 2^-10 to 2^20 stay as they are. No capacity is left that is a million times what all flows
// together can use.
InUnits in_units(const SliceInstance& instance);

}  // namespace bridle
