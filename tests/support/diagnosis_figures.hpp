// Figures of the theory that tests and benchmarks look at, made of those that the library computes.
#pragma once

#include "bridle/diagnose/diagnosis.hpp"

namespace bridle {

// |grad Psi(z)| = mu |z - xbar(z)|
inline double envelope_gradient_norm(const Diagnosis& diagnosis, const Vector& z) {
  return diagnosis.constants().mu * (z - diagnosis.envelope(z).v).norm();
}

// K(x, y, z) - 2 d(y, z) + 2 Psi(z): the part of Algorithm 3's potential that its estimate has no say in.
inline double certain_potential(const Diagnosis& diagnosis, const Iterate& it) {
  return diagnosis.smoothed_lagrangian(it.x, it.y, it.z) - 2 * diagnosis.dual_function(it.y, it.z).value +
         2 * diagnosis.envelope(it.z).value;
}

}  // namespace bridle
