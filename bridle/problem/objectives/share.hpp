// A worker's share of an objective: some consecutive samples of a finite sum, numbered from 0. Every worker
// has all of an endless stream, and draws of its own.
#pragma once

#include "bridle/problem/objective.hpp"

namespace bridle {

// `first`, ..., `first + count - 1` of the samples of `whole`.
AnyObjective share_of(const AnyObjective& whole, Index first, Index count);

}  // namespace bridle
