// The constants of the theory for a given problem, each with its origin.
#pragma once

#include "bridle/algorithms/registry.hpp"
#include "bridle/problem/problem.hpp"
#include "bridle/run/options.hpp"

namespace bridle {

struct ConstantsWithOrigin {
  TheoryConstants constants;
  Reasons origins;
  Index gradients = 0;  // sample gradients that estimates took
};

// Given by the user or computed, as the theorems of this algorithm need them. Throws InputError where a
// constant is neither, and names the option that gives it.
ConstantsWithOrigin theory_constants(const Problem& problem, const SolveOptions& options,
                                     const AlgorithmDescription& algorithm);

// The same with an estimate in place of what is neither: L_f measured at the start, L_0 as L_f, sbar as of
// X = R^n, with 1 for a smallest singular value that is not computed. For rules that are no theorem's.
ConstantsWithOrigin estimated_constants(const Problem& problem, const SolveOptions& options);

// L_f, given or computed, or else measured at the start; `gradients` counts what that took.
Reason known_or_measured_curvature(const Problem& problem, const SolveOptions& options, Index& gradients);

}  // namespace bridle
