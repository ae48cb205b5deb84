// Whole numbers from doubles that may be anything.
#pragma once

#include <cstdint>

namespace bridle {

inline constexpr double largest_count = 9007199254740992.0;  // 2^53: all counts below are exact in a double

// v without its fraction, kept within [least, 2^53]; NaN becomes `least`.
inline std::uint64_t to_count(double v, std::uint64_t least = 1) {
  if (!(v > static_cast<double>(least))) return least;
  return static_cast<std::uint64_t>(v < largest_count ? v : largest_count);
}

}  // namespace bridle
