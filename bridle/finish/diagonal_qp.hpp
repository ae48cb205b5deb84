// A primal-dual interior-point method (Mehrotra's predictor-corrector) for quadratic programs with a diagonal
// Hessian:
//   minimise  w'Qw/2 + q'w   subject to   A w = b,  lower <= w <= upper.
#pragma once

#include "bridle/core/types.hpp"

namespace bridle {

struct DiagonalQp {
  SparseColumns matrix;  // A
  Vector right;          // b
  Vector hessian;        // Q >= 0, diagonal
  Vector linear;         // q
  Vector lower, upper;   // may be infinite
};

struct QpSolution {
  Vector w;
  Vector multipliers;  // y: Q w + q + A'y in the negative normal cone of the bounds at w
  bool converged = false;
  int iterations = 0;
};

// The best iterate found; `converged` when its relative residuals and complementarity are below the
// tolerance.
QpSolution solve_interior_point(const DiagonalQp& qp, double tolerance = 1e-11);

}  // namespace bridle
