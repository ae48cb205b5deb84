// How many samples STORM's first estimate takes.
#pragma once

#include <algorithm>
#include <cmath>

#include "bridle/core/types.hpp"
#include "bridle/params/parameters.hpp"

namespace bridle {

// The first estimate is a mean over T^(1/3) samples: its error E|dhat_0 - grad f|^2 <= T^(-1/3) sigma^2 is
// what the analysis needs (the paper's T^(1/6) gives less).
inline Index first_batch(const Stage& stage, Index batch) {
  return std::max(batch, static_cast<Index>(std::ceil(std::cbrt(static_cast<double>(stage.iterations)))));
}

// Iterations of a stage, each of which costs so many gradients, when the first batch comes out of it too.
inline std::uint64_t beside_first_batch(const Stage& stage, Index batch, double cost) {
  const auto steps =
      static_cast<std::uint64_t>(std::ceil(static_cast<double>(first_batch(stage, batch)) / cost));
  return stage.iterations > steps ? stage.iterations - steps : stage.iterations;
}

}  // namespace bridle
