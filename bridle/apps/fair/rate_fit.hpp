// Training with bounds on rates of decisions: smoothed rates as smooth constraints, corrected by what
// smoothing adds and drawn in until the bounds hold in counted people, or else a closing walk over decisions
// that flip.
#pragma once

#include "bridle/apps/fair/fair_problem.hpp"
#include "bridle/apps/fair/rate_figures.hpp"
#include "bridle/run/solve.hpp"

namespace bridle {

struct RateFit {
  Result result;  // x after the walk; its certificate is that of the smoothed problem after the walk
  RateFigures figures;
};

// Throws InputError where groups cannot be compared. `test` is measured only, and its size counts where a
// confidence is asked for.
RateFit fit_rates(const FairProblem& problem, const FairData* test, const RateStatement& request,
                  const SolveOptions& options, Observer* observer = nullptr);

}  // namespace bridle
