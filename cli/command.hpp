// What the subcommands share: exit codes, and how one is attached to the command line.
#pragma once

#include <functional>

#include <CLI/CLI.hpp>

#include "bridle/core/status.hpp"

namespace bridle::cli {

inline constexpr int exit_certified = 0;
inline constexpr int exit_not_certified = 1;
inline constexpr int exit_bad_input = 2;
inline constexpr int exit_infeasible = 3;
inline constexpr int exit_diverged = 4;
inline constexpr int exit_interrupted = 130;

constexpr int exit_code(Status status) {
  switch (status) {
    case Status::stationary:
      return exit_certified;
    case Status::budget_exhausted:
      return exit_not_certified;
    case Status::infeasible:
      return exit_infeasible;
    case Status::diverged:
      return exit_diverged;
    case Status::interrupted:
      return exit_interrupted;
  }
  return exit_not_certified;
}

// A subcommand adds itself to the application and returns what to do when it was chosen.
using Action = std::function<int()>;
Action add_solve(CLI::App& app);
Action add_certify(CLI::App& app);
Action add_info(CLI::App& app);
Action add_demo(CLI::App& app);

}  // namespace bridle::cli
