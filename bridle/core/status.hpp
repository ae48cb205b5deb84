// How a run ended. Only the judge's figures and the user's Ctrl-C decide it.
#pragma once

#include <string_view>

namespace bridle {

enum class Status { stationary, budget_exhausted, infeasible, diverged, interrupted };

constexpr std::string_view to_string(Status status) {
  switch (status) {
    case Status::stationary:
      return "stationary";
    case Status::budget_exhausted:
      return "budget_exhausted";
    case Status::infeasible:
      return "infeasible";
    case Status::diverged:
      return "diverged";
    case Status::interrupted:
      return "interrupted";
  }
  return "unknown";
}

}  // namespace bridle
