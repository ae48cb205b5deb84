// The inner loops of the lazy point: coordinates of two or three numbers that a common factor is due to, each
// with a mark that tells which. Coordinates are in classes; those of a class are read and moved alike.
//
// Pairs (u, v) are 16 bytes: the mark is the last byte of v's mantissa. So v is rounded to 45 bits instead of
// 53; it belongs to the mode that decays, whose rounding errors are forgotten with it. Their classes stand
// beside the places that a sample has for them. Triples (u, v, d) fill half a cache line anyway: mark and
// class are a number of its own, and nothing is rounded.
#pragma once

#include "bridle/core/dispatch.hpp"

namespace bridle {

inline constexpr int marks = 256;

// --- pairs ---

using ModePair __attribute__((vector_size(16))) = double;
using PairBits __attribute__((vector_size(16))) = long long;

[[gnu::always_inline]] inline int mark_of(const ModePair& pair) {
  return reinterpret_cast<const unsigned char*>(&pair)[sizeof(double)];
}
[[gnu::always_inline]] inline ModePair marked(ModePair pair, int mark, Index /*of_class*/) {
  const PairBits kept = (reinterpret_cast<PairBits>(pair) + PairBits{0, 0x80}) & PairBits{-1, ~0xFFLL};
  return reinterpret_cast<ModePair>(kept | PairBits{0, mark});
}

// The scalars of a step for every class, each a pair: phi <- (1 - tau rate) phi,  reading <- share phi,  step
// <- tau / phi
void advance_classes(Index count, double tau, const ModePair* rates, const ModePair* shares, ModePair* phi,
                     ModePair* readings, ModePair* steps);

// --- triples ---

// Vectors of 32 bytes must not be passed between functions that are compiled for different processors: this
// is memory, and the loops make vectors of it.
struct alignas(32) ModeTriple {
  double at[4] = {};  // u, v, d, and 1 + mark + marks * class: not 0, which has two forms

  double& operator[](int k) { return at[k]; }
  double operator[](int k) const { return at[k]; }
  ModeTriple& operator*=(const ModeTriple& other) { return *this = *this * other; }
  friend ModeTriple operator*(const ModeTriple& a, const ModeTriple& b) {
    return {{a[0] * b[0], a[1] * b[1], a[2] * b[2], a[3] * b[3]}};
  }
};

inline int mark_of(const ModeTriple& triple) { return (static_cast<int>(triple[3]) - 1) % marks; }
inline ModeTriple marked(const ModeTriple& triple, int mark, Index of_class) {
  return {{triple[0], triple[1], triple[2], static_cast<double>(1 + mark + marks * of_class)}};
}

// --- some coordinates, each with a value; no two are the same ---

// Where pairs are, in doubles: those of coordinates, and those of their classes in tables.
inline constexpr Index most_columns = Index{1} << 31;  // whose places 32 bits can say
constexpr std::uint32_t place_of_pair(Index column) { return static_cast<std::uint32_t>(2 * column); }
constexpr std::uint8_t place_of_class(Index of_class) { return static_cast<std::uint8_t>(2 * of_class); }

struct PackedRow {
  const double* values;
  const std::uint32_t* places;
  Index count;
  const std::uint8_t* classes;  // places of classes; null where there is one
  Index column(Index e) const { return places[e] / 2; }
  Index of_class(Index e) const { return classes ? classes[e] / 2 : 0; }
};
struct DrawnRow {
  const double* values;
  const Index* columns;
  Index count;
  Index column(Index e) const { return columns[e]; }
};

// These look at coordinates that all have the mark `now`, and return whether they have.

// out <- the sum of values[e] times its coordinate; for rows of one class
bool sum_products(const ModePair* all, const PackedRow& row, int now, ModePair& out);
// out <- the sum of values[e] times (the reading of its class)'(its coordinate)
bool sum_readings(const ModePair* all, const PackedRow& row, int now, const ModePair* readings, double& out);
bool sum_readings(const ModeTriple* all, const PackedRow& row, int now, const ModeTriple* readings,
                  Index classes, double& out);
bool sum_readings(const ModeTriple* all, const DrawnRow& row, int now, const ModeTriple* readings,
                  Index classes, double& out);
// The same with two readings for each class
bool sum_readings(const ModeTriple* all, const PackedRow& row, int now, const ModeTriple* readings,
                  const ModeTriple* others, Index classes, double& out, double& other);
bool sum_readings(const ModeTriple* all, const DrawnRow& row, int now, const ModeTriple* readings,
                  const ModeTriple* others, Index classes, double& out, double& other);

// For coordinates with the mark `now`.

// Subtracts values[e] step from its coordinate; for rows of one class
void subtract(ModePair* all, const PackedRow& row, const ModePair& step, int now);
// Subtracts factor values[e] (the step of its class) from its coordinate. Of triples, step[3] = 0.
void subtract(ModePair* all, const PackedRow& row, double factor, const ModePair* steps, int now);
void subtract(ModeTriple* all, const PackedRow& row, double factor, const ModeTriple* steps, Index classes);
void subtract(ModeTriple* all, const DrawnRow& row, double factor, const ModeTriple* steps, Index classes);

}  // namespace bridle
