// What rivals do to multipliers.
#pragma once

#include <cstdint>

#include "bridle/core/types.hpp"

namespace bridle {

// How long an outer dual step of Stoc-iALM may be: min(1, share first/length), where `first` is the length at
// the first call; kept in `own`.
inline double outer_step_share(Vector& own, double share, double length) {
  if (own.size() == 0) own = Vector::Constant(1, length);
  return length > share * own[0] ? share * own[0] / length : 1;
}

// y_i <- 0 where y_i >= bound; how many.
inline std::uint64_t reset_from(Vector& y, double bound) {
  std::uint64_t count = 0;
  for (double& one : y)
    if (one >= bound) {
      one = 0;
      ++count;
    }
  return count;
}

}  // namespace bridle
