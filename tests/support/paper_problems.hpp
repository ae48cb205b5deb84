// The problem families: nonconvex quadratics on which everything the paper speaks of can be computed.
// L_f = 1 and |A| <= 1 (without slack columns) in all of them, so that one grid of parameters fits all.
#pragma once

#include <string>

#include "bridle/params/theory.hpp"
#include "bridle/problem/objectives/quadratic.hpp"
#include "bridle/problem/problem.hpp"

namespace bridle::paper {

enum class Region {
  whole_space,  // curvature negative along the rows, positive on their null space
  box           // [-1, 1]^n, curvatures -0.5, -0.4, -0.3 and nine from 0.4 to 1 in random directions
};
enum class RowKind {
  equality,    // three equalities
  inequality,  // three two-sided inequalities: one held from above, one from below, one idle or nearly
  mixed,       // two equalities, two inequalities
  drawn        // three equalities, known only through draws A + E, E random signs
};

struct Family {
  std::string name;
  Region region = Region::box;
  RowKind rows = RowKind::equality;
  GradientNoise noise = {};
};

struct Instance {
  Problem problem;
  TheoryConstants constants;  // rho = 1
  double sigma;               // E|grad f(x, xi) - grad f(x)|^2 <= sigma^2 on X
  Matrix rows;                // A, or E[A]
};

inline constexpr Index variables = 12;

// M_y of Algorithm 2 by the paper's formula, for a problem over the box [-1, 1]^n.
double formula_dual_bound(const Instance& instance, double mu, double rho);
// What Algorithm 4's steps are made of, all three estimates counted: L_0^2 + L_f^2, and the variance of one
// draw of each at |y| <= `largest_y`.
struct DrawnConstants {
  double squares, variance;
};
DrawnConstants drawn_constants(const Instance& instance, double rho, double largest_y);

Instance make_instance(const Family& family, std::uint64_t seed);

// Box [-2, 2]^n, two rows along which f has curvature -1: the augmented Lagrangian with rho < 1 is nonconvex
// at the solution.
Instance make_concave_rows(double noise, std::uint64_t seed);

}  // namespace bridle::paper
