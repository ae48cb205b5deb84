// A run from its start to its result: the stages in order, chunk by chunk, with watch kept, checkpoints and
// the judge.
#pragma once

#include "bridle/run/solve.hpp"

namespace bridle {

Result one_run(const Problem& problem, const SolveOptions& options, Observer& observer);

}  // namespace bridle
