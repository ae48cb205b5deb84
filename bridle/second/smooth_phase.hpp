// Second-order steps for problems with smooth rows: sequential quadratic programming with the Hessian of the
// Lagrangian, within a trust region, for the merit f(x) + sum_i sigma_i dist(c_i(x), [l_i, u_i]).
// docs/smooth-constraints.md has the formulas.
#pragma once

#include "bridle/second/improve.hpp"

namespace bridle::second {

inline constexpr Index most_smooth_variables = 500;  // Hessians are dense
inline constexpr Index most_differences = 100;       // variables of Hessians by differences

Applies smooth_phase_applies(const Problem& problem);
// Multipliers: one per linear row of the problem, then one per smooth row.
Outcome run_smooth_phase(const Problem& problem, const Start& start, const Options& options);

}  // namespace bridle::second
