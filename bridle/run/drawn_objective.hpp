// A fixed part of a finite sum in place of the whole, for looks that must not take long.
#pragma once

#include "bridle/problem/problem.hpp"

namespace bridle {

// `samples` terms drawn from the sum, as a stream of independent draws: an estimate of the sum, and judged as
// one. Of a linear model only the drawn rows are kept.
AnyObjective drawn_from(const AnyObjective& objective, Index samples, std::uint64_t seed);

}  // namespace bridle
