// The parameters of the noisy regime: a linear model whose samples disagree.
#pragma once

#include "bridle/params/formula.hpp"

namespace bridle {

// The mean curvature R_K of means over K samples; R is that of single ones, L that of the mean over all.
inline Formula batch_curvature(const Formula& R, const Formula& L, double K) {
  return K > 1 ? L + (R - L) / Formula(K) : R;
}

// R: of what a step sees of the objective, L: of its mean.
inline ParameterFormulas noisy_parameters(const Formula& R, const Formula& L) {
  const Formula mu = noisy_mu * L;
  const Formula rho = kept_in(noisy_rho * R - L, noisy_rho_low * L, noisy_rho_high * L);
  const Formula whole = L + rho.as("rho") + mu.as("mu");
  const Formula tau = smallest_of({noisy_tau_samples / R, noisy_tau_total / whole});
  return {.tau = tau,
          .eta = tau.as("tau") * squared(whole) / damping,
          .beta = noisy_beta * tau.as("tau") * mu.as("mu"),
          .mu = mu,
          .rho = rho};
}

}  // namespace bridle
