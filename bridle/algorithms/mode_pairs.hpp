// The inner loops of the lazy iterate: pairs of numbers that a common factor is due to, each with a mark that
// tells which.
//
// The mark is the last byte of the second number's mantissa. So that number has 45 bits instead of 53; it
// belongs to the mode that decays, whose rounding errors are forgotten with it.
#pragma once

#include <array>

#include "bridle/core/dispatch.hpp"

namespace bridle {

using ModePair __attribute__((vector_size(16))) =
    double;  // of u and v: uhat and vhat, and what goes with them
using PairBits __attribute__((vector_size(16))) = long long;

inline constexpr int marks = 256;

[[gnu::always_inline]] inline unsigned char mark_of(const ModePair& pair) {
  return reinterpret_cast<const unsigned char*>(&pair)[sizeof(double)];
}
[[gnu::always_inline]] inline ModePair marked(ModePair pair, int mark) {
  const PairBits kept = reinterpret_cast<PairBits>(pair) & PairBits{-1, ~0xFFLL};
  return reinterpret_cast<ModePair>(kept | PairBits{0, mark});
}

// What pairs with each mark must be multiplied by.
using MarkFactors = std::array<ModePair, marks>;

// The sum of values[e] pairs[columns[e]], brought up to date.
ModePair pair_product(const ModePair* pairs, const MarkFactors& factors, const double* values,
                      const std::int32_t* columns, Index count);
// pairs[columns[e]] <- what it is, brought up to date, minus values[e] step, with the mark `now`
void move_pairs(ModePair* pairs, const MarkFactors& factors, const double* values,
                const std::int32_t* columns, Index count, const ModePair& step, int now);

}  // namespace bridle
