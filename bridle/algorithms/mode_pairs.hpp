// The inner loops of the lazy iterate: pairs of numbers that a common factor is due to, each with a mark that
// tells which.
//
// The mark is the last byte of the second number's mantissa. So that number is rounded to 45 bits instead of
// 53; it belongs to the mode that decays, whose rounding errors are forgotten with it.
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
  const PairBits kept = (reinterpret_cast<PairBits>(pair) + PairBits{0, 0x80}) & PairBits{-1, ~0xFFLL};
  return reinterpret_cast<ModePair>(kept | PairBits{0, mark});
}

// What pairs with each mark must be multiplied by.
using MarkFactors = std::array<ModePair, marks>;

// Some pairs, each with a value: places[e] is twice the index of a pair, no two are the same.
struct PairSelection {
  const double* values;
  const std::uint32_t* places;
  Index count;
};

// The sum of values[e] times its pair, for pairs that all have the mark `now`; `others`: not all have it.
ModePair pair_product(const ModePair* pairs, const PairSelection& chosen, int now, bool& others);
// Brings the chosen pairs up to date: they have the mark `now` then.
void catch_up(ModePair* pairs, const PairSelection& chosen, const MarkFactors& factors, int now);
// Subtracts values[e] step from its pair, for pairs with the mark `now`.
void move_pairs(ModePair* pairs, const PairSelection& chosen, const ModePair& step, int now);

}  // namespace bridle
