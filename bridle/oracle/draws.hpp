// Which samples are drawn: an index of a finite sum, or any number for an endless stream.
#pragma once

#include <vector>

#include "bridle/problem/objective.hpp"

namespace bridle {

// Draw number (counter, lane) of a stream of random numbers.
inline Sample drawn_sample(const AnyObjective& objective, const Stream& stream, std::uint64_t counter,
                           std::uint32_t lane = 0) {
  const Index count = objective.sample_count();
  return count == endless ? stream.bits(counter, lane).first
                          : stream.below(static_cast<std::uint64_t>(count), counter, lane);
}

// Draws 0, 1, ..., count - 1.
inline std::vector<Sample> drawn_batch(const AnyObjective& objective, const Stream& stream, Index count) {
  std::vector<Sample> out(static_cast<std::size_t>(count));
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = drawn_sample(objective, stream, k);
  return out;
}

}  // namespace bridle
