// The one-dimensional equation behind projections onto simplices, l1 balls and their tangent cones.
#pragma once

#include <algorithm>
#include <functional>
#include <span>

#include "bridle/core/types.hpp"

namespace bridle::detail {

// The theta with  free_sum - free_count * theta + sum_i max(clipped_i - theta, 0) = total.
// Needs total > 0 and clipped values, or free_count > 0. Sorts `clipped`, which must hold no NaN.
inline double threshold(double free_sum, Index free_count, std::span<double> clipped, double total) {
  std::sort(clipped.begin(), clipped.end(), std::greater<>());
  double sum = free_sum - total, count = static_cast<double>(free_count);
  std::size_t kept = 0;
  while (kept < clipped.size() && (count == 0 || clipped[kept] * count > sum)) {
    sum += clipped[kept++];
    ++count;
  }
  double theta = sum / count;
  // One Newton step: the running sum may have been far larger than total, and its rounding with it.
  double excess = free_sum - static_cast<double>(free_count) * theta - total;
  for (const double value : clipped.first(kept)) excess += value - theta;
  return theta + excess / count;
}

}  // namespace bridle::detail
