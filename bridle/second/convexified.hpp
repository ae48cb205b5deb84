// A positive definite model in place of the Lagrangian's curvature.
#pragma once

#include "bridle/second/smooth_model.hpp"

namespace bridle::second {

struct Convexified {
  Matrix curvature;
  Vector gradient;
};

// The same minimiser on the face where the Lagrangian's curvature has one: squares of the rows that count are
// added, which are zero there, and what is then still negative is turned round. `off`: how far each row is
// from the bound that it is expected to end at; infinite: it does not count. `unit`: the sizes of variables;
// `price`: the size of gradients in those units.
Convexified convexified(const Matrix& lagrangian, const SmoothLocal& at, const Vector& unit,
                        const Vector& off, double price);

}  // namespace bridle::second
