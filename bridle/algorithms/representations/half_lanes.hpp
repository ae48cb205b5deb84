// Loops over few numbers go in half a register's worth of lanes: gcc 12 keeps vectors of 32 bytes in
// registers on processors with AVX2, and those of 64 bytes in memory.
#pragma once

#include "bridle/core/dispatch.hpp"

namespace bridle {

inline constexpr Index half_lanes = lanes / 2;
// Loops over `count` numbers, a multiple of half_lanes: to += factor from; a'b; out <- a b number by number
void add_multiple(Index count, double factor, const double* from, double* to);
double dot_product(Index count, const double* a, const double* b);
void multiply(Index count, const double* a, const double* b, double* out);

constexpr Index in_half_lanes(Index count) { return (count + half_lanes - 1) / half_lanes * half_lanes; }

}  // namespace bridle
