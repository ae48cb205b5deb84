// The constants of the theory for a given problem: from the user, computed, or estimated, each with its
// origin.
#pragma once

#include "bridle/problem/problem.hpp"
#include "bridle/run/options.hpp"

namespace bridle {

struct ConstantsWithOrigin {
  TheoryConstants constants;
  Reasons origins;
};

ConstantsWithOrigin theory_constants(const Problem& problem, const SolveOptions& options);

}  // namespace bridle
