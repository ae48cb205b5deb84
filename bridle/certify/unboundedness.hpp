// Proof that f falls without end over the feasible set: a direction, checked by the judge in the user's
// units.
#pragma once

#include <optional>

#include "bridle/problem/problem.hpp"

namespace bridle {

struct Unboundedness {
  Vector from;       // the point it starts at
  Vector direction;  // one entry per variable, the largest is 1 in absolute value
  double slope;      // of f along it at the point; for a quadratic with curvature 0 that is all there is
  Names variables;   // that it moves, the largest entries first
};

// Whether f is known to be: losses are, and ridges. No direction needs to be looked for then.
bool bounded_below(const AnyObjective& f);

// Nothing unless x + t d stays within bounds and rows for all t >= 0, up to rounding that is worth nothing
// beside the fall, and f falls for ever along it: for a quadratic by its gradient and curvature along d,
// otherwise by its values at two hundred doublings of t. `x` is a point that meets the constraints. Sets
// without a linear description and problems with smooth rows are beyond this.
std::optional<Unboundedness> prove_unbounded(const Problem& problem, const Vector& x, const Vector& d);

}  // namespace bridle
