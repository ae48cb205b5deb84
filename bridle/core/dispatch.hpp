// BRIDLE_DISPATCH before a function: gcc compiles it for AVX-512, AVX2 and plain x86-64, and the machine it
// runs on decides at run time. Loops inside are written with Pack, so that sums run in eight lanes on all of
// them.
#pragma once

#include <cstring>

#include "bridle/core/types.hpp"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define BRIDLE_DISPATCH [[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]]
#else
#define BRIDLE_DISPATCH
#endif

namespace bridle {

inline constexpr Index lanes = 8;

using Pack __attribute__((vector_size(64))) = double;
using FloatPack __attribute__((vector_size(32))) = float;
using HalfPack __attribute__((vector_size(32))) = double;
using HalfFloatPack __attribute__((vector_size(16))) = float;

[[gnu::always_inline]] inline void load(Pack& into, const double* from) {
  std::memcpy(&into, from, sizeof into);
}
[[gnu::always_inline]] inline void load(Pack& into, const float* from) {
  FloatPack narrow;
  std::memcpy(&narrow, from, sizeof narrow);
  into = __builtin_convertvector(narrow, Pack);
}
[[gnu::always_inline]] inline void load(HalfPack& into, const double* from) {
  std::memcpy(&into, from, sizeof into);
}
[[gnu::always_inline]] inline void load(HalfPack& into, const float* from) {
  HalfFloatPack narrow;
  std::memcpy(&narrow, from, sizeof narrow);
  into = __builtin_convertvector(narrow, HalfPack);
}
[[gnu::always_inline]] inline void store(double* to, const Pack& from) {
  std::memcpy(to, &from, sizeof from);
}
[[gnu::always_inline]] inline void store(double* to, const HalfPack& from) {
  std::memcpy(to, &from, sizeof from);
}

// The lower lanes plus the upper ones.
[[gnu::always_inline]] inline void half_sum(HalfPack& into, const Pack& p) {
  into = __builtin_shufflevector(p, p, 0, 1, 2, 3) + __builtin_shufflevector(p, p, 4, 5, 6, 7);
}
[[gnu::always_inline]] inline double sum_of(const HalfPack& p) { return (p[0] + p[1]) + (p[2] + p[3]); }
[[gnu::always_inline]] inline double sum_of(const Pack& p) {
  return ((p[0] + p[4]) + (p[1] + p[5])) + ((p[2] + p[6]) + (p[3] + p[7]));
}

// sum_of four packs at once, the same bits.
[[gnu::always_inline]] inline void sums_of(const Pack& a, const Pack& b, const Pack& c, const Pack& d,
                                           double* out) {
  HalfPack one, two, three, four;
  half_sum(one, a), half_sum(two, b), half_sum(three, c), half_sum(four, d);
  const HalfPack left = __builtin_shufflevector(one, two, 0, 4, 2, 6) +
                        __builtin_shufflevector(one, two, 1, 5, 3, 7),
                 right = __builtin_shufflevector(three, four, 0, 4, 2, 6) +
                         __builtin_shufflevector(three, four, 1, 5, 3, 7);
  const HalfPack sums =
      __builtin_shufflevector(left, right, 0, 1, 4, 5) + __builtin_shufflevector(left, right, 2, 3, 6, 7);
  store(out, sums);
}

}  // namespace bridle
