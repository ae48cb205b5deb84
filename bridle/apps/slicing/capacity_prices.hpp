// What a unit of capacity is worth: the multipliers of the capacity rows.
#pragma once

#include "bridle/core/types.hpp"

namespace bridle {

struct CapacityPrices {
  Vector nodes, links;  // >= 0
};

}  // namespace bridle
