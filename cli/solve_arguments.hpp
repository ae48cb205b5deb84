// The options of bridle solve, and what they say together.
#pragma once

#include <string>
#include <vector>

#include "bridle/run/options.hpp"

#include "command.hpp"

namespace bridle::cli {

struct SolveArguments {
  std::string problem, start, parameters = "auto", write_parameters, json, log;
  std::string output, sampling;  // empty: not said
  std::vector<std::string> constants;
  double lipschitz = 0, target = 0;
  bool quiet = false, check_gradient = false, exact_batches = false, split = false, deal = false;
  double patience = 60;  // seconds that a rank is waited for
  SolveOptions options;
};

void add_solve_options(CLI::App& command, SolveArguments& a);
// Throws InputError where they contradict each other.
void finish_arguments(SolveArguments& a, int ranks);

}  // namespace bridle::cli
