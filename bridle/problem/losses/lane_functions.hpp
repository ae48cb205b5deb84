// e^-a and log(1 + e) in four lanes, to be inlined into functions that are dispatched. Both are right to
// about two units in the last place; what is not a number stays so.
#pragma once

#include <cstdint>

#include "bridle/core/dispatch.hpp"

namespace bridle {

// Four lanes, since gcc takes comparisons of wider packs apart where the machine has no registers of that
// size.
using WholePack __attribute__((vector_size(32))) = std::int64_t;

// out <- e^-a for a >= 0; beyond 708 the smallest normal number.
[[gnu::always_inline]] inline void exp_of_minus(HalfPack& out, const HalfPack& a) {
  constexpr double log2e = 1.4426950408889634, high = 6.93147180369123816490e-01,
                   low = 1.90821492927058770002e-10;
  constexpr double to_integer = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to the nearest integer
  const HalfPack largest = HalfPack{} + 708.0;
  const HalfPack x = -(a > largest ? largest : a);
  const HalfPack shifted = x * log2e + to_integer;
  const HalfPack whole = shifted - to_integer;
  const HalfPack r = (x - whole * high) - whole * low;  // |r| <= log(2) / 2
  // Taylor's series to r^13: the rest is below 1e-17.
  HalfPack p = HalfPack{} + 1.0 / 6227020800.0;
  p = p * r + 1.0 / 479001600.0;
  p = p * r + 1.0 / 39916800.0;
  p = p * r + 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  const WholePack exponent = (__builtin_bit_cast(WholePack, shifted) + 1023) << 52;  // 2^whole, by its bits
  out = p * __builtin_bit_cast(HalfPack, exponent);
}

// out <- log(1 + e) for 0 <= e <= 1.
[[gnu::always_inline]] inline void log_of_one_plus(HalfPack& out, const HalfPack& e) {
  constexpr double log2 = 6.93147180559945286227e-01;
  const HalfPack zero = {};
  const auto large = e > zero + 0.41421356237309503;  // 1 + e above sqrt(2): halved first
  const HalfPack f = large ? 0.5 * (e - 1.0) : e;     // exact
  const HalfPack s = f / (f + 2.0), z = s * s, half = 0.5 * f * f;
  // fdlibm's polynomial for log(1 + f) - f + f^2/2 in s^2
  HalfPack q = zero + 1.479819860511658591e-01;
  q = q * z + 1.531383769920937332e-01;
  q = q * z + 1.818357216161805012e-01;
  q = q * z + 2.222219843214978396e-01;
  q = q * z + 2.857142874366239149e-01;
  q = q * z + 3.999999999940941908e-01;
  q = q * z + 6.666666666666735130e-01;
  const HalfPack rest = f - (half - s * (half + z * q));
  out = large ? rest + log2 : rest;
}

}  // namespace bridle
