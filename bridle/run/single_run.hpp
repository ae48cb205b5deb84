// A run of one problem from its start to its result.
#pragma once

#include "bridle/run/solve.hpp"

namespace bridle {

Result single_run(const Problem& problem, const SolveOptions& options, Observer& observer);

}  // namespace bridle
