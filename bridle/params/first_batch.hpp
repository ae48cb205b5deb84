// How many samples STORM's first estimate takes.
#pragma once

#include <algorithm>
#include <cmath>

#include "bridle/params/parameters.hpp"

namespace bridle {

// The first estimate is a mean over T^(1/3) samples: its error E|dhat_0 - grad f|^2 <= T^(-1/3) sigma^2 is
// what the analysis needs (the paper's T^(1/6) gives less).
inline Index first_batch(const Stage& stage, Index batch) {
  return std::max(batch, static_cast<Index>(std::ceil(std::cbrt(static_cast<double>(stage.iterations)))));
}

}  // namespace bridle
