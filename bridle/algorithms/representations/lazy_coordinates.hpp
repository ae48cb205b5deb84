// The inner loops of the lazy point: coordinates of two or three numbers that a common factor is due to, each
// with a mark that tells which.
//
// Pairs (u, v) are 16 bytes: the mark is the last byte of v's mantissa. So v is rounded to 45 bits instead of
// 53; it belongs to the mode that decays, whose rounding errors are forgotten with it. Triples (u, v, d) fill
// half a cache line anyway: their mark is a number of its own, and nothing is rounded.
#pragma once

#include <array>

#include "bridle/core/dispatch.hpp"

namespace bridle {

inline constexpr int marks = 256;

// --- pairs ---

using ModePair __attribute__((vector_size(16))) = double;
using PairBits __attribute__((vector_size(16))) = long long;

[[gnu::always_inline]] inline int mark_of(const ModePair& pair) {
  return reinterpret_cast<const unsigned char*>(&pair)[sizeof(double)];
}
[[gnu::always_inline]] inline ModePair marked(ModePair pair, int mark) {
  const PairBits kept = (reinterpret_cast<PairBits>(pair) + PairBits{0, 0x80}) & PairBits{-1, ~0xFFLL};
  return reinterpret_cast<ModePair>(kept | PairBits{0, mark});
}

// --- triples ---

// Vectors of 32 bytes must not be passed between functions that are compiled for different processors: this
// is memory, and the loops make vectors of it.
struct alignas(32) ModeTriple {
  double at[4] = {};  // u, v, d, and the mark plus 1: not 0, which has two forms

  double& operator[](int k) { return at[k]; }
  double operator[](int k) const { return at[k]; }
  ModeTriple& operator*=(const ModeTriple& other) { return *this = *this * other; }
  friend ModeTriple operator*(const ModeTriple& a, const ModeTriple& b) {
    return {{a[0] * b[0], a[1] * b[1], a[2] * b[2], a[3] * b[3]}};
  }
  friend ModeTriple operator*(double a, const ModeTriple& b) {
    return {{a * b[0], a * b[1], a * b[2], a * b[3]}};
  }
};

inline int mark_of(const ModeTriple& triple) { return static_cast<int>(triple[3]) - 1; }
inline ModeTriple marked(const ModeTriple& triple, int mark) {
  return {{triple[0], triple[1], triple[2], static_cast<double>(mark + 1)}};
}

// What coordinates with each mark must be multiplied by.
template <class Coordinate>
using MarkFactors = std::array<Coordinate, marks>;

// --- some coordinates, each with a value; no two are the same ---

struct PackedRow {
  const double* values;
  const std::uint32_t* places;  // twice the columns
  Index count;
  Index column(Index e) const { return places[e] / 2; }
};
struct DrawnRow {
  const double* values;
  const Index* columns;
  Index count;
  Index column(Index e) const { return columns[e]; }
};

// out <- the sum of values[e] times its coordinate, for coordinates that all have the mark `now`; returns
// whether they have.
bool sum_products(const ModePair* all, const PackedRow& row, int now, ModePair& out);
bool sum_products(const ModeTriple* all, const PackedRow& row, int now, ModeTriple& out);
bool sum_products(const ModeTriple* all, const DrawnRow& row, int now, ModeTriple& out);

// Subtracts values[e] step from its coordinate, for coordinates with the mark `now`. Of triples, step[3] = 0.
void subtract(ModePair* all, const PackedRow& row, const ModePair& step, int now);
void subtract(ModeTriple* all, const PackedRow& row, const ModeTriple& step, int now);
void subtract(ModeTriple* all, const DrawnRow& row, const ModeTriple& step, int now);

}  // namespace bridle
