// The stages in order: scale, solve, certify.
#pragma once

#include "bridle/problem/problem.hpp"
#include "bridle/run/options.hpp"
#include "bridle/run/result.hpp"

namespace bridle {

// Whether processes of a team have a share each of the passes over its data, and not of its workers alone.
bool passes_are_shared(const Problem& problem);

Result solve(const Problem& problem, const SolveOptions& options = {}, Observer* observer = nullptr);

}  // namespace bridle
