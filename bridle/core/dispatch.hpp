// BRIDLE_DISPATCH before a function: gcc compiles it for AVX-512, AVX2 and plain x86-64, and the machine it
// runs on decides at run time. Loops inside are written with packs, so that sums run in the same lanes on all
// of them.
//
// BRIDLE_DISPATCH_BY_WIDTH(head, body) does the same for loops over packs of eight: they are written for a
// type `Lanes`, which is Pack with AVX-512, and elsewhere two registers of four, since gcc 12 keeps vectors
// of 64 bytes in memory there. It is for functions that are called in the same file alone.
#pragma once

#include <cstring>

#include "bridle/core/types.hpp"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define BRIDLE_DISPATCH [[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]]
#define BRIDLE_DISPATCH_BY_WIDTH(head, ...) \
  [[gnu::target("arch=x86-64-v4")]] head {  \
    using Lanes = Pack;                     \
    __VA_ARGS__                             \
  }                                         \
  [[gnu::target("arch=x86-64-v3")]] head {  \
    using Lanes = SplitPack;                \
    __VA_ARGS__                             \
  }                                         \
  [[gnu::target("default")]] head {         \
    using Lanes = SplitPack;                \
    __VA_ARGS__                             \
  }
#else
#define BRIDLE_DISPATCH
#define BRIDLE_DISPATCH_BY_WIDTH(head, ...) \
  head {                                    \
    using Lanes = SplitPack;                \
    __VA_ARGS__                             \
  }
#endif

namespace bridle {

inline constexpr Index lanes = 8;

using Pack __attribute__((vector_size(64))) = double;
using FloatPack __attribute__((vector_size(32))) = float;
using HalfPack __attribute__((vector_size(32))) = double;
using HalfFloatPack __attribute__((vector_size(16))) = float;

// Eight numbers in two registers.
struct SplitPack {
  HalfPack low, high;

  [[gnu::always_inline]] SplitPack& operator+=(const SplitPack& p) {
    low += p.low, high += p.high;
    return *this;
  }
  [[gnu::always_inline]] SplitPack& operator-=(const SplitPack& p) {
    low -= p.low, high -= p.high;
    return *this;
  }
  [[gnu::always_inline]] SplitPack& operator*=(const SplitPack& p) {
    low *= p.low, high *= p.high;
    return *this;
  }
  [[gnu::always_inline]] friend SplitPack operator+(const SplitPack& a, const SplitPack& b) {
    return {a.low + b.low, a.high + b.high};
  }
  [[gnu::always_inline]] friend SplitPack operator-(const SplitPack& a, const SplitPack& b) {
    return {a.low - b.low, a.high - b.high};
  }
  [[gnu::always_inline]] friend SplitPack operator*(const SplitPack& a, const SplitPack& b) {
    return {a.low * b.low, a.high * b.high};
  }
  [[gnu::always_inline]] friend SplitPack operator*(double a, const SplitPack& b) {
    return {a * b.low, a * b.high};
  }
};

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
template <class Scalar>
[[gnu::always_inline]] inline void load(SplitPack& into, const Scalar* from) {
  load(into.low, from), load(into.high, from + lanes / 2);
}
[[gnu::always_inline]] inline void store(double* to, const Pack& from) {
  std::memcpy(to, &from, sizeof from);
}
[[gnu::always_inline]] inline void store(double* to, const HalfPack& from) {
  std::memcpy(to, &from, sizeof from);
}

[[gnu::always_inline]] inline void store(double* to, const SplitPack& from) {
  store(to, from.low), store(to + lanes / 2, from.high);
}

// value <- the larger, or the smaller, of value and bound
template <class Lanes>
[[gnu::always_inline]] inline void raise_to(Lanes& value, const Lanes& bound) {
  value = value < bound ? bound : value;
}
template <class Lanes>
[[gnu::always_inline]] inline void lower_to(Lanes& value, const Lanes& bound) {
  value = value > bound ? bound : value;
}
[[gnu::always_inline]] inline void raise_to(SplitPack& value, const SplitPack& bound) {
  raise_to(value.low, bound.low), raise_to(value.high, bound.high);
}
[[gnu::always_inline]] inline void lower_to(SplitPack& value, const SplitPack& bound) {
  lower_to(value.low, bound.low), lower_to(value.high, bound.high);
}

// The lower lanes plus the upper ones.
[[gnu::always_inline]] inline void half_sum(HalfPack& into, const Pack& p) {
  into = __builtin_shufflevector(p, p, 0, 1, 2, 3) + __builtin_shufflevector(p, p, 4, 5, 6, 7);
}
[[gnu::always_inline]] inline void half_sum(HalfPack& into, const SplitPack& p) { into = p.low + p.high; }
[[gnu::always_inline]] inline double sum_of(const HalfPack& p) { return (p[0] + p[1]) + (p[2] + p[3]); }
template <class Lanes>
[[gnu::always_inline]] inline double sum_of(const Lanes& p) {
  HalfPack half;
  half_sum(half, p);
  return sum_of(half);
}

// sum_of four packs at once, the same bits.
template <class Lanes>
[[gnu::always_inline]] inline void sums_of(const Lanes& a, const Lanes& b, const Lanes& c, const Lanes& d,
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
