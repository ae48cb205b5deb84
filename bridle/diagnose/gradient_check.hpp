// Whether gradients are what they claim to be: derivatives of the values, finite, the same alone and in a
// batch. A wrong one is named with its sample and its variable.
#pragma once

#include <optional>
#include <string>

#include "bridle/problem/problem.hpp"

namespace bridle {

struct GradientCheckOptions {
  Index samples = 20;       // that are looked at
  Index directions = 3;     // random ones, for each sample
  double tolerance = 1e-5;  // of the gradient's length, besides what differences themselves are worth
  std::uint64_t seed = 1;
};

struct GradientCheck {
  Index samples = 0, directions = 0;  // that were looked at
  double worst = 0;                   // the largest relative difference that was seen
  bool against_values = false;  // false: no value function, and only the symmetry of differences was checked
  std::string flaw = {};        // the first that was found, in a line; empty: none

  bool good() const { return flaw.empty(); }
  std::string text() const;  // one line
};

// At x: every sample's gradient against central differences of its values along random directions, or, where
// the objective has no values, the symmetry of its own differences; batch_gradient against single ones; and
// the Jacobian of smooth rows against differences of their values.
GradientCheck check_gradient(const Problem& problem, const Vector& x,
                             const GradientCheckOptions& options = {});

// The first sample, of at most `most`, whose gradient or value at x is not finite, in a line that names
// sample and variable; nothing where there is none.
std::optional<std::string> find_not_finite(const Problem& problem, const Vector& x, Index most);

}  // namespace bridle
