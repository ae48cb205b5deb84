// How many workers share the samples of a run.
#pragma once

#include "bridle/algorithms/registry.hpp"
#include "bridle/run/options.hpp"

namespace bridle {

inline constexpr Index most_workers = 65536;

// What the user said, else 1, one loop over all samples in one thread: which data gains from more cannot be
// told from its size (docs/scaling.md). Never what the machine has, since results must not depend on it.
Index choose_workers(const Problem& problem, const SolveOptions& options,
                     const AlgorithmDescription& algorithm);

}  // namespace bridle
