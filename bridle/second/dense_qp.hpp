// The quadratic program of a step, dense, in units in which curvatures are about 1 and rows have length 1:
//   minimise  g'd + d'Bd/2   subject to   lower <= d <= upper,  row_lower <= A d <= row_upper,
// where d = 0 is feasible.
#pragma once

#include "bridle/second/region.hpp"
#include "bridle/second/work.hpp"

namespace bridle::second {

struct DenseQp {
  Matrix hessian;  // B, both triangles
  Vector gradient;
  Vector lower, upper;
  const SparseRows& rows;
  Vector row_lower, row_upper;
  double unit = 1;   // size of the point that d is added to: what rounding is relative to
  double price = 1;  // size of gradients, likewise
};

struct QpPoint {
  Vector d;
  Vector multipliers;  // of the rows: g + B d + A'y in the negative normal cone of the bounds
};

enum class QpEnd { solved, not_convex, no_face, stopped };

// Finds the face that solves the program, from a guess of it: solves on the face, holds what leaves its
// bounds, lets go what pulls away from them (a primal-dual active set). B needs to be positive definite on
// the faces that are visited.
QpEnd solve_on_faces(const DenseQp& qp, int most_rounds, Face& face, QpPoint& point, Work& work);

// An interior-point method (Mehrotra's) for where no face is found; B is positive definite. Its point is
// within the bounds up to its accuracy, and `face` becomes a guess for solve_on_faces.
QpEnd solve_inside(const DenseQp& qp, Face& face, QpPoint& point, Work& work);

}  // namespace bridle::second
