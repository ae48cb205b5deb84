// How an attempt to place service chains ended. Not a solver's status: nothing here is stationary.
#pragma once

#include <string_view>

namespace bridle {

enum class SliceStatus {
  placed,       // the judge found that the plan keeps all capacities
  not_placed,   // no such plan was found, and none was proven impossible
  infeasible,   // prices prove that there is none
  interrupted,  // by the user, before one was found
};

// The words of the JSON report.
constexpr std::string_view to_string(SliceStatus status) {
  switch (status) {
    case SliceStatus::placed:
      return "feasible";
    case SliceStatus::not_placed:
      return "budget_exhausted";
    case SliceStatus::infeasible:
      return "infeasible";
    case SliceStatus::interrupted:
      return "interrupted";
  }
  return "unknown";
}

}  // namespace bridle
