// How many workers share the samples of a run.
#pragma once

#include "bridle/algorithms/registry.hpp"
#include "bridle/run/options.hpp"

namespace bridle {

inline constexpr Index most_workers = 65536;

// What the user said, else what pays for data of this size; never what the machine has, since results must
// not depend on it. 1: one loop over all samples, in one thread.
Index choose_workers(const Problem& problem, const SolveOptions& options,
                     const AlgorithmDescription& algorithm);

}  // namespace bridle
