#include "tests/support/paper_slips.hpp"

#include <cmath>

#include "bridle/diagnose/diagnosis.hpp"
#include "bridle/params/theory.hpp"

#include "tests/support/paper_line.hpp"
#include "tests/support/paper_problems.hpp"

namespace bridle::paper {
namespace {

constexpr double slack = 1e-6;

Slip lipschitz_constant() {
  const Line line{.h = 1, .a = 3};
  const double measured = line.slope(1, 0, 0) - line.slope(0, 0, 0);
  return {"(param_defs_appendix), Lemma swo3, Theorem alm_storm_descent",
          "L_K = L_f + rho |A| + mu",
          "L_K = L_f + rho |A|^2 + mu",
          "Lipschitz constant of grad K, one variable, L_f = rho = 1, |A| = 3, mu = 4",
          Demand::at_least,
          measured,
          1 + line.rho * 3 + line.mu,
          1 + line.rho * 9 + line.mu,
          "used with |A|^2 throughout Bridle"};
}

Slip strong_convexity() {
  // Curvature -L_f in a direction that the rows do not see.
  const double L_f = 1, mu = 4, rho = 1, norm = 0.5, lambda = L_f + rho * norm * norm + mu;
  return {"(param_defs_appendix), Lemma phi_misc",
          "gamma_s = 2 mu + rho |A|",
          "gamma_s = mu - L_f + lambda = 2 mu + rho |A|^2",
          "least curvature of K + (lambda/2)|. - x|^2, L_f = rho = 1, |A| = 1/2, mu = 4",
          Demand::at_most,
          -L_f + mu + lambda,
          2 * mu + rho * norm,
          2 * mu + rho * norm * norm,
          "the same slip as the one above; for |A| < 1 it claims too much"};
}

Slip sampled_direction() {
  return {"(def_g_stoc)",
          "G = f(x, xi) + A1'y + A1'(A2 x - b2)",
          "G = grad f(x, xi) + A1'y + rho A1'(A2 x - b2) + mu (x - z)",
          "|E G - grad K| at a point, with grad f for f; rho = 2, mu = 4",
          Demand::equal,
          0,
          from_gradient(1, 0),
          from_gradient(2, 4),
          "Algorithm 2 asks for E G = grad K, which only the right-hand form gives"};
}

Slip plain_step() {
  const double lambda = 14, T = 100;
  return {"proof of Theorem moreau_env_det",
          "tau = 1/(6 lambda sqrt T)",
          "tau = 1/(6 lambda^2 sqrt T), as in (param_defs_appendix)",
          "tau lambda^2, lambda = 14, T = 100; the coefficients need at most 1/10",
          Demand::at_most,
          0.1,
          lambda / (6 * std::sqrt(T)),
          1 / (6 * std::sqrt(T)),
          "the same order in T"};
}

Slip optimality() {
  // X = [-1, 1]^2; xhat = proj_X(x - tau G); distance of weight (x - xhat)/tau - G from the normal cone there
  const double tau = 0.2, x[] = {0.5, 0.9}, G[] = {1, -3}, xhat[] = {0.3, 1};
  const auto distance = [&](double weight) {
    const double inside = weight * (x[0] - xhat[0]) / tau - G[0];
    const double outside = weight * (x[1] - xhat[1]) / tau - G[1];
    return std::hypot(inside, std::min(outside, 0.0));
  };
  return {"proof of Corollary postprocess",
          "0 in G + (2/tau)(xhat - x) + N_X(xhat)",
          "1/tau",
          "distance of the vector from the normal cone in an example with two variables",
          Demand::equal,
          0,
          distance(2),
          distance(1),
          "constants of |v| only"};
}

Slip envelope_gradient() {
  const Instance instance = make_instance({"", Region::box, RowKind::mixed, {}}, 0);
  Scaling scaling;
  scaling.metric = MetricKind::identity;
  const StandardForm form(instance.problem, scaling);
  const double mu = 4;
  const Diagnosis diagnosis(form,
                            {.mu = mu, .rho = 1, .smoothness = 1, .row_norm = instance.constants.row_norm});
  const Vector z = Vector::Constant(form.dimension(), 0.2);
  const Vector apart = z - diagnosis.envelope(z).v;
  const Vector along = 1e-3 * apart.normalized();
  const double measured = (diagnosis.envelope(z + along).value - diagnosis.envelope(z - along).value) / 2e-3;
  return {
      "proof of Theorem moreau_env_det",
      "|grad Psi(z)| = mu^2 |z - xbar(z)|",
      "|grad Psi(z)| = mu |z - xbar(z)|",
      "slope of Psi along z - xbar(z) by differences, n = 12, mu = 4 (printed and right against it, over it)",
      Demand::equal,
      1,
      mu * mu * apart.norm() / measured,
      mu * apart.norm() / measured,
      "a constant"};
}

Slip envelope_definition() {
  // X = R, no rows, f(x) = c x: the minimiser of f + (w/2)(x - z)^2 is z - c/w and the envelope's slope is c.
  const double c = 1, mu = 4, lambda = 6;
  return {"(moreau_orig), both interpretations of Algorithm 1",
          "Psi with (lambda/2)|x - z|^2",
          "Psi with (mu/2)|x - z|^2",
          "mu |z - xbar(z)| over the slope of Psi, one variable, mu = 4, lambda = 6",
          Demand::equal,
          1,
          mu * (c / lambda) / c,
          mu * (c / mu) / c,
          "d(y, z) <= Psi(z) and Danskin's formula are used with mu"};
}

Slip incidence_rows() {
  const double nodes = 4;
  return {"Section apps, edge-agent incidence matrix",
          "each row of W belongs to a node",
          "to a pair of nodes",
          "rows of W for four nodes, N(N-1)/2",
          Demand::equal,
          6,
          nodes,
          nodes * (nodes - 1) / 2,
          "none"};
}

// Both sides of the expanded square where x is nearly at rest and z moves: f linear, lambda = mu = 4.
Slip square_expansion() {
  const double mu = 4, lambda = 4, tau = 1 / (6 * lambda), beta = 0.02;
  const double x = 0, z = -1, next_z = z + beta * (x - z);
  const Line line{.h = 0, .c = mu * next_z - 0.02 * mu, .a = 0, .mu = mu, .rho = 0, .lambda = lambda};
  const double e = line.prox(x, 0, next_z) - x;
  const double D = line.slope(x, 0, z) - line.slope(x + e, 0, next_z);
  const double keep = 1 - tau * lambda;
  const double square = (keep * e + tau * D) * (keep * e + tau * D);
  const auto expanded = [&](double cross) {
    return keep * keep * e * e + cross * tau * keep * e * D + tau * tau * D * D;
  };
  return {"(sxp5), the square in the first lemma of the appendix",
          "cross term tau (1 - tau lambda) <u* - x, .>",
          "twice that",
          "right-hand side over the square, one variable, f linear, beta = 0.02",
          Demand::at_least,
          1 - slack,
          expanded(1) / square,
          expanded(2) / square,
          "none: see the repair below"};
}

Slip phi_signs() {
  const Line line{.a = 1, .b = 0.5};
  const double x = 2, y = 0.3, z = 1.5, eta = 0.1, beta = 0.1;
  const double next_y = y + eta * (line.a * x - line.b), next_z = z + beta * (x - z);
  const auto phi = [&](double at_y, double at_z) {
    const double u = line.prox(x, at_y, at_z), r = line.a * u - line.b;
    return 0.5 * line.h * u * u + at_y * r + 0.5 * line.rho * r * r +
           0.5 * line.mu * (u - at_z) * (u - at_z) + 0.5 * line.lambda * (u - x) * (u - x);
  };
  const double in_y = (next_y - y) * (line.a * line.prox(x, y, z) - line.b);
  const double in_z = 0.5 * line.mu * (z - next_z) * (2 * line.prox(x, next_y, z) - next_z - z);
  return {"main text, lemma before the proof sketch",
          "phi_{t+1} <= phi_t - <dy, A u* - b> - (mu/2)<z_t - z_{t+1}, 2u* - z_{t+1} - z_t>",
          "both with +, as Lemma phi_misc in the appendix",
          "the bound on the change of phi, one variable",
          Demand::at_least,
          phi(next_y, next_z) - phi(y, z),
          -in_y - in_z,
          in_y + in_z,
          "none: the appendix uses the right signs"};
}

Slip row_image() {
  const Line line{.h = -1, .a = 2, .mu = 4, .rho = 0};
  const double gamma = line.mu - 1, moved = line.a * (line.minimiser(1, 0) - line.minimiser(0, 0));
  return {"proof of Lemma stochastic d(y,z)",
          "|A x*(y') - A x*(y)|^2 <= |A|^2/gamma_K^2 |y' - y|^2",
          "|A|^4/gamma_K^2",
          "one variable, |A| = 2, gamma_K = 3, |y' - y| = 1",
          Demand::at_least,
          moved * moved,
          4 / (gamma * gamma),
          16 / (gamma * gamma),
          "17 |A|^2/gamma_K^2 becomes 17 |A|^4/gamma_K^2 in Algorithm 2's descent"};
}

Slip residual_bound() {
  const double size = 0.5;  // A_zeta x - b_zeta = +-1/2
  return {"Lemma stochastic d(y,z)",
          "E|A_zeta x - b_zeta|^2 <= L, then eta^2 L^2 for E|dy|^2",
          "eta^2 L (or L^2 in the assumption)",
          "E|dy|^2/eta^2 where the draws are +-1/2, L = 1/4",
          Demand::at_least,
          size * size,
          std::pow(size, 4),
          size * size,
          "constants"};
}

Slip drawn_multipliers() {
  // A x = b, draws A_zeta x - b_zeta = +-1/2: the mean residual is 0, y moves all the same.
  const Line line{.h = -1, .a = 2, .mu = 4, .rho = 0, .lambda = 5};
  const double eta = 0.1, size = 0.5, gamma_s = line.mu - 1 + line.lambda;
  const double moved = line.a * (line.prox(0, eta * size, 0) - line.prox(0, 0, 0));
  return {"Lemma appendix_descent_stochastic",
          "|A u*(y_t) - A u*(y_{t+1})|^2 <= |A|^4 eta^2/gamma_s^2 |A x_t - b|^2, from the deterministic case",
          "E|A_zeta x_t - b_zeta|^2 for |A x_t - b|^2",
          "one variable with A x = b, draws +-1/2, eta = 0.1 (times 1e4)",
          Demand::at_least,
          1e4 * moved * moved,
          0,
          1e4 * std::pow(line.a, 4) * eta * eta / (gamma_s * gamma_s) * size * size,
          "one more term of order eta^3 in Algorithm 2's descent"};
}

Slip smoothing_order() {
  const auto weight = [](double T) {
    const Parameters p = theory_plain({}, T);
    return p.mu / (50 * p.beta);
  };
  return {"Lemma vt_ineq",
          "c_beta = Theta(1/sqrt T)",
          "c_beta = Theta(sqrt T); it is beta^2 c_beta that is Theta(1/sqrt T)",
          "c_beta at T = 1e6 over c_beta at T = 1e4",
          Demand::equal,
          weight(1e6) / weight(1e4),
          0.1,
          10,
          "none: the proof uses beta^2 c_beta"};
}

Slip compactness() {
  // X = R x [0, 1], A = (1, 0), b = 0: the feasible set {0} x [0, 1] is bounded, X is not.
  const auto largest = [](double radius, double mu) { return 0.5 * mu * (4 * radius * radius + 1); };
  return {
      "Assumption stochastic, first item, against Remark my",
      "{x in X, A x = b} is bounded",
      "X is bounded",
      "max of (mu/2)|x - z|^2 over x, z in X cut off at 100, over the same cut off at 10; a finite M has 1",
      Demand::equal,
      1,
      largest(100, 4) / largest(10, 4),
      1,
      "M_y is infinite otherwise; Bridle asks for bounded X"};
}

}  // namespace

bool Slip::holds(double value) const {
  const double room = slack * (1 + std::abs(demanded));
  switch (demand) {
    case Demand::equal:
      return std::abs(value - demanded) <= room;
    case Demand::at_least:
      return value >= demanded - room;
    case Demand::at_most:
      return value <= demanded + room;
  }
  return false;
}

std::vector<Slip> paper_slips() {
  return {lipschitz_constant(), strong_convexity(),    sampled_direction(),
          storm_direction(),    storm_recursion(),     plain_case(),
          first_batch_size(),   plain_step(),          optimality(),
          envelope_gradient(),  envelope_definition(), incidence_rows(),
          dual_step_bound(),    step_coefficient(),    smoothing_coefficient(),
          square_expansion(),   dropped_mu(),          phi_signs(),
          row_image(),          residual_bound(),      drawn_multipliers(),
          smoothing_order(),    compactness()};
}

double cube_difference() {
  double largest = 0;
  for (const double y : {-1.0, 1.0})
    for (double f = -1; f <= 1; f += 0.01)
      largest = std::max(largest, std::abs(y * f * f * f - std::pow(y * f, 3)));
  return largest;
}

}  // namespace bridle::paper
