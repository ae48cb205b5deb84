// The stages in order: scale, solve, certify.
#pragma once

#include "bridle/problem/problem.hpp"
#include "bridle/run/options.hpp"
#include "bridle/run/result.hpp"

namespace bridle {

Result solve(const Problem& problem, const SolveOptions& options = {}, Observer* observer = nullptr);

}  // namespace bridle
