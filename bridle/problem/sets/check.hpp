// Checks of what a user hands to a set, and the scaling of sets that only bear one common factor.
#pragma once

#include <charconv>
#include <cmath>
#include <string>

#include "bridle/core/error.hpp"
#include "bridle/core/types.hpp"

namespace bridle::detail {

// The shortest text that reads back as the same number.
inline std::string text(double value) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

inline Index checked_dimension(const std::string& set, Index dimension) {
  if (dimension <= 0)
    throw InputError(set + ": dimension " + std::to_string(dimension) + "; at least 1 is required");
  return dimension;
}

inline double checked_positive(const std::string& set, const std::string& what, double value) {
  if (!(value > 0 && is_finite(value)))
    throw InputError(set + ": " + what + " " + text(value) + "; a positive finite number is required");
  return value;
}

inline double checked_finite(const std::string& set, const std::string& what, double value) {
  if (!is_finite(value))
    throw InputError(set + ": " + what + " " + text(value) + "; a finite number is required");
  return value;
}

// The c of C = c I. Sets that mix their coordinates stay of their kind under such a C only.
inline double common_factor(const std::string& set, ConstVectorRef scale) {
  const double factor = checked_positive(set, "scale factor", scale[0]);
  for (Index j = 1; j < scale.size(); ++j)
    if (!(std::abs(scale[j] - factor) <= 1e-12 * factor))
      throw InputError(set + ": scale factors " + text(factor) + " and " + text(scale[j]) +
                       "; one common factor is required");
  return factor;
}

inline void set_to_geometric_mean(VectorRef scale) {
  scale.setConstant(std::exp(scale.array().log().mean()));
}

}  // namespace bridle::detail
