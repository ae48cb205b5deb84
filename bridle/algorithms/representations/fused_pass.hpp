// The inner loops of the fused iterate, compiled for AVX-512, AVX2 and plain x86-64 and chosen at run time.
// Sums run in eight lanes on all of them.
#pragma once

#include "bridle/core/dispatch.hpp"

namespace bridle {

inline constexpr Index most_fused_rows = 16;
// Row counts the loops are compiled for; rows of zeros fill up.
constexpr Index fused_rows(Index rows) {
  return rows <= 2 ? rows : rows <= 4 ? 4 : rows <= 10 ? (rows + 1) / 2 * 2 : rows <= 12 ? 12 : 16;
}

// One step of Algorithm 1 over all variables:
//   G = C^2 (slope a + A'w + ridge x) + mu (x - z);  z += beta (x - z);  x <- clamp(x - tau G);  products <-
//   A x
// Arrays hold a whole number of lanes and are aligned to 64 bytes.
struct FusedPass {
  Index variables, rows;  // rows: a number that fused_rows returns
  double *x, *z;
  const double *weight, *ridge;  // C^2, ridge (null: none)
  const double* matrix;          // A, row by row
  const double *lower, *upper;   // null: no bounds
  double tau, mu, beta;
  const double* row_weights;  // w
  double* products;           // A x, of the new x
};

// Samples are rows of the data, or any direction. They can be read up to whole lanes; what is beyond the
// variables is multiplied by zero, so it must be finite.
//
// Returns the product of the new x with `next`, the same bits as fused_dot.
double fused_pass(const FusedPass& pass, double slope, const double* sample, const double* next);
double fused_pass(const FusedPass& pass, double slope, const float* sample, const float* next);
// With slope 1 and without a next sample.
void fused_pass(const FusedPass& pass, const double* direction);

// `x` is zero beyond the variables, up to whole lanes.
double fused_dot(const double* sample, const double* x, Index variables);
double fused_dot(const float* sample, const double* x, Index variables);

}  // namespace bridle
