// Losses that are flat far out, such as the smoothed 0-1 loss, have a stationary point where every sample is
// given to the larger class. A run that begins near a logistic model under the same constraints does not end
// there.
#pragma once

#include "bridle/problem/problem.hpp"
#include "bridle/run/options.hpp"
#include "bridle/run/phases.hpp"

namespace bridle {

struct LogisticStart {
  Vector x;
  double samples = 0, certificate_samples = 0;  // that it took
  PhaseTable phases = {};                       // all of it is the start's, but the judge's
};

// Whether the run should begin so: a saturating loss, automatic parameters, and no start of the user's own.
bool wants_logistic_start(const Problem& problem, const SolveOptions& options);

// A tenth of the budget, taken off `options`. `observer` is asked whether to stop, and told nothing.
LogisticStart logistic_start(const Problem& problem, SolveOptions& options, Observer& observer);

}  // namespace bridle
