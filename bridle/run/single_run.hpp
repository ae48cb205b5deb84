// A run of one problem from its start to its result.
#pragma once

#include <string>

#include "bridle/run/solve.hpp"

namespace bridle {

// What a run takes up and leaves behind: the bytes of a checkpoint.
struct Continuation {
  std::string before = {};        // the state to take up; empty: from the start
  std::string after = {};         // the state at the end, with the point that was found
  bool resumed = false;           // it comes from a file
  bool keep = false;              // whether `after` is wanted
  std::uint64_t fingerprint = 0;  // of problem and options, for checkpoint files
  double seconds_spent = 0;       // of a time limit, in the state to take up
  int round = 1;                  // of a run that goes on until it is certified
};

Result single_run(const Problem& problem, const SolveOptions& options, Observer& observer,
                  Continuation& continuation);

}  // namespace bridle
