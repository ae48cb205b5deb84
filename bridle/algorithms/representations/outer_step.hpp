// How long an outer dual step of Stoc-iALM may be.
#pragma once

#include <algorithm>

#include "bridle/core/types.hpp"

namespace bridle {

// min(1, share first/length), where `first` is the length at the first call; kept in `own`.
inline double outer_step_share(Vector& own, double share, double length) {
  if (own.size() == 0) own = Vector::Constant(1, length);
  return length > share * own[0] ? share * own[0] / length : 1;
}

}  // namespace bridle
