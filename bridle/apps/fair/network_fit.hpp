// Training a network with bounds on covariances, or with none.
#pragma once

#include "bridle/apps/fair/fair_problem.hpp"
#include "bridle/run/solve.hpp"

namespace bridle {

// `bounds` has one entry per row of the problem; empty: none. Of several starts the one with the least
// objective is taken.
Result fit_network(const FairProblem& problem, const Vector& bounds, const SolveOptions& options,
                   Observer* observer = nullptr);

}  // namespace bridle
