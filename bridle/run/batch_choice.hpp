// The samples of a step: those that were said, or as many as the step's cost besides them makes worth while.
#pragma once

#include "bridle/algorithms/registry.hpp"
#include "bridle/params/batch.hpp"
#include "bridle/run/options.hpp"

namespace bridle {

// The same for every run of the problem with these options, whatever its budget is. `workers`: that share the
// samples.
BatchChoice batch_for(const Problem& problem, const SolveOptions& options,
                      const AlgorithmDescription& algorithm, Index workers = 1);

}  // namespace bridle
