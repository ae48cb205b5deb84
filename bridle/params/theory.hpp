// The parameters of the paper's theorems, exactly as in its statements (with the slips of the source
// corrected; see docs/algorithms). They are for proofs: with them the guarantees hold, and little moves.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "bridle/params/formula.hpp"

namespace bridle {

// The constants the formulas are made of.
struct TheoryConstants {
  double smoothness = 1;       // L_f: Lipschitz constant of grad f
  double mean_smoothness = 1;  // L_0: mean-square smoothness of single samples (STORM only)
  double row_norm = 1;         // |A|
  double error_bound = 1;      // sbar: |x*(y,z) - xbar(z)| <= sbar |A x*(y,z) - b|
  double rho = 1;              // free in the theory; constant
};

// Those of them that a user knows.
struct KnownConstants {
  std::optional<double> smoothness = {}, mean_smoothness = {}, row_norm = {}, error_bound = {}, rho = {};

  static constexpr std::array<std::string_view, 5> names = {"L_f", "L_0", "A", "sbar", "rho"};
  // By one of these names; nothing by any other.
  std::optional<double>* find(std::string_view name) {
    const std::array members = {&smoothness, &mean_smoothness, &row_norm, &error_bound, &rho};
    for (std::size_t k = 0; k < names.size(); ++k)
      if (names[k] == name) return members[k];
    return nullptr;
  }
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

// The formulas of the theorems, with the text of each.
struct TheoryFormulas {
  explicit TheoryFormulas(const TheoryConstants& c)
      : L_f("L_f", c.smoothness),
        L_0("L_0", c.mean_smoothness),
        A("|A|", c.row_norm),
        sbar("sbar", c.error_bound),
        rho("rho", c.rho),
        mu(largest_of({2, 4 * L_f})),
        lambda(lambda_formula().as("lambda")) {}

  // L_K = L_f + rho |A|^2 + mu
  Formula lambda_formula() const { return L_f + rho * squared(A) + mu.as("mu"); }

  // Algorithms 1 and 2, T iterations.
  ParameterFormulas plain(double iterations) const {
    ParameterFormulas p{.mu = mu, .rho = rho};
    p.tau = 1 / (6 * squared(lambda) * root(Formula("T", iterations)));
    p.eta = dual_step(p.tau.as("tau"));
    p.beta = smoothing_step(p.tau.as("tau"), 1 / (50 * lambda), p.eta.as("eta"));
    return p;
  }

  // Algorithms 3 and 4: tau of order T^(-1/3), capped.
  ParameterFormulas storm(double iterations) const {
    ParameterFormulas p{.mu = mu, .rho = rho};
    const Formula m = mu.as("mu"), curvature = 48 * (squared(L_0) + squared(L_f));
    p.tau = smallest_of({1 / (4 * lambda + 8 * m), 1 / root(curvature)}) *
            power(Formula("T", iterations), -1.0 / 3, "(-1/3)");
    const Formula tau = p.tau.as("tau");
    p.eta = A.value() > 0 ? smallest_of({dual_step(tau), squared(m - L_f) * tau / (4 * squared(A))})
                          : dual_step(tau);
    p.beta = smoothing_step(tau, 1.0 / 50, p.eta.as("eta"));
    p.alpha = smallest_of({1, curvature * squared(tau)});
    return p;
  }

  Formula L_f, L_0, A, sbar, rho, mu, lambda;

 private:
  Formula dual_step(const Formula& tau) const {
    if (A.value() == 0) return tau;  // no rows: the dual step does nothing
    const Formula square = squared(A), curved = 2 * mu.as("mu") + rho * square;
    return smallest_of({curved / (4 * square * square), tau / (200 * square), tau * curved / (20 * square)});
  }
  Formula smoothing_step(const Formula& tau, const Formula& cap, const Formula& eta) const {
    return smallest_of({tau / 100, cap, eta / (36 * mu.as("mu") * squared(sbar))});
  }
};

inline Parameters theory_plain(const TheoryConstants& c, double iterations) {
  return TheoryFormulas(c).plain(iterations).values();
}
inline Parameters theory_storm(const TheoryConstants& c, double iterations) {
  return TheoryFormulas(c).storm(iterations).values();
}

}  // namespace bridle
