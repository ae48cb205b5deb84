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

// How bad an end is: the worst of several runs decides what they come to together.
constexpr int severity(Status status) {
  switch (status) {
    case Status::stationary:
      return 0;
    case Status::budget_exhausted:
      return 1;
    case Status::infeasible:
      return 2;
    case Status::diverged:
      return 3;
    case Status::interrupted:
      return 4;
  }
  return 5;
}
constexpr Status worse_of(Status a, Status b) { return severity(b) > severity(a) ? b : a; }

}  // namespace bridle
