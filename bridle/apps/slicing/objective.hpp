// What a plan is to be good at, beside keeping its promises.
#pragma once

#include <optional>
#include <string_view>

#include "bridle/apps/slicing/slice.hpp"

namespace bridle {

// The instance whose links cost what the objective charges: 1 each, or their delay.
SliceInstance with_objective(SliceInstance instance, SliceObjective objective);

// The plan for an instance that with_objective() made.
//
// balance: the largest part of any capacity, of a node or link, is to be small. The linear program over
// chains proves how small it can be at least. Between that and what a plan with little traffic has, the part
// is sought by bisection: all capacities multiplied by it, does the search find a plan? At the smallest one
// found, the plan with the least traffic is the answer.
SliceResult slice_for(const SliceInstance& instance, SliceObjective objective, const SliceOptions& options,
                      const SliceWatch& watch = {}, const UncertainDemand* demand = nullptr);

}  // namespace bridle
