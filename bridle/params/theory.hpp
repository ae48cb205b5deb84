// The parameters of the paper's theorems, exactly as in its statements (with the slips of the source
// corrected; see docs/algorithms). They are for proofs: with them the guarantees hold, and little moves.
#pragma once

#include <algorithm>
#include <cmath>

#include "bridle/params/parameters.hpp"

namespace bridle {

// The constants the formulas are made of.
struct TheoryConstants {
  double smoothness = 1;       // L_f: Lipschitz constant of grad f
  double mean_smoothness = 1;  // L_0: mean-square smoothness of single samples (STORM only)
  double row_norm = 1;         // |A|
  double error_bound = 1;      // sbar: |x*(y,z) - xbar(z)| <= sbar |A x*(y,z) - b|
  double rho = 1;              // free in the theory; constant
};

// What the dual safeguard's M_y is made of, over a bounded X that holds Slater's condition.
struct SafeguardConstants {
  double largest_value = 0;     // of |f| on X
  double lowest_value = 0;      // of f on X
  double diameter = 0;          // of X
  double largest_residual = 0;  // of |A x - b| on X
  double slater = 1;  // r: in every direction d of the range of A some x in X has A x - b = r d, |d| = 1
};

// M_y > (M_V - M_Psi + 2 M)/r of Algorithm 2, with M = max |f| + mu D^2/2 + rho R^2/2, M_Psi = min f, and
// M_V = max K(x,0,z) - 2 d(0,z) + 2 Psi(z) <= M + 2 M + 2 M.
inline double theory_dual_bound(const SafeguardConstants& c, double mu, double rho) {
  const double most = c.largest_value + 0.5 * mu * c.diameter * c.diameter +
                      0.5 * rho * c.largest_residual * c.largest_residual;
  return (7 * most - c.lowest_value) / c.slater;
}

// sbar when X is the whole space: (L_f + mu) / ((mu - L_f) sigma_min+(A)). For other X a named estimate.
inline double unconstrained_error_bound(double smoothness, double mu, double smallest_singular_value) {
  return (smoothness + mu) / ((mu - smoothness) * smallest_singular_value);
}

inline double theory_mu(const TheoryConstants& c) { return std::max(2.0, 4 * c.smoothness); }

// L_K = L_f + rho |A|^2 + mu, also the theory's lambda.
inline double theory_lambda(const TheoryConstants& c) {
  return c.smoothness + c.rho * c.row_norm * c.row_norm + theory_mu(c);
}

namespace detail {
inline double theory_eta(const TheoryConstants& c, double tau, double mu) {
  const double a2 = c.row_norm * c.row_norm, curved = 2 * mu + c.rho * a2;
  if (a2 == 0) return tau;  // no rows: the dual step does nothing
  return std::min({curved / (4 * a2 * a2), tau / (200 * a2), tau * curved / (20 * a2)});
}
}  // namespace detail

// Algorithms 1 and 2, T iterations.
inline Parameters theory_plain(const TheoryConstants& c, double iterations) {
  Parameters p;
  p.mu = theory_mu(c);
  p.rho = c.rho;
  const double lambda = theory_lambda(c);
  p.tau = 1 / (6 * lambda * lambda * std::sqrt(iterations));
  p.eta = detail::theory_eta(c, p.tau, p.mu);
  p.beta = std::min({p.tau / 100, 1 / (50 * lambda), p.eta / (36 * p.mu * c.error_bound * c.error_bound)});
  return p;
}

// Algorithms 3 and 4: tau of order T^(-1/3), capped.
inline Parameters theory_storm(const TheoryConstants& c, double iterations) {
  Parameters p;
  p.mu = theory_mu(c);
  p.rho = c.rho;
  const double lambda = theory_lambda(c);
  const double curvature = 48 * (c.mean_smoothness * c.mean_smoothness + c.smoothness * c.smoothness);
  p.tau = std::min({1 / (4 * lambda + 8 * p.mu), 1 / std::sqrt(curvature)}) * std::pow(iterations, -1.0 / 3);
  p.eta = detail::theory_eta(c, p.tau, p.mu);
  if (c.row_norm > 0)
    p.eta = std::min(p.eta, std::pow(p.mu - c.smoothness, 2) * p.tau / (4 * c.row_norm * c.row_norm));
  p.beta = std::min({p.tau / 100, 1.0 / 50, p.eta / (36 * p.mu * c.error_bound * c.error_bound)});
  p.alpha = std::min(1.0, curvature * p.tau * p.tau);
  return p;
}

}  // namespace bridle
