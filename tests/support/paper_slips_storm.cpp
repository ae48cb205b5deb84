// The slips around Algorithm 3.
#include <cmath>

#include "bridle/core/random.hpp"

#include "tests/support/paper_line.hpp"

namespace bridle::paper {
namespace {

// Mean square error of STORM's estimate at a fixed x, noise of variance 1, alpha = 0.1.
double storm_error(bool same_sample) {
  constexpr double alpha = 0.1;
  constexpr int steps = 20'000;
  const Stream stream(3, Purpose::generator);
  double error = 0, last = stream.normal(0), squares = 0;
  for (int t = 1; t <= steps; ++t) {
    const double fresh = stream.normal(static_cast<std::uint64_t>(t));
    error = fresh + (1 - alpha) * (error - (same_sample ? fresh : last));
    last = fresh;
    squares += error * error / steps;
  }
  return squares;
}

// |x of STORM - x of the plain method| after 20 steps on f(x, xi) = x^2/2 + xi x, the same samples
double storm_against_plain(double alpha) {
  const Stream stream(5, Purpose::generator);
  double plain = 1, x = 1, dhat = x + stream.normal(0);
  for (std::uint64_t t = 0; t < 20; ++t) {
    plain -= 0.1 * (plain + stream.normal(t));
    const double old = x, next = stream.normal(t + 1);
    x -= 0.1 * dhat;
    dhat = x + next + (1 - alpha) * (dhat - (old + next));
  }
  return std::abs(x - plain);
}

// T^(1/3) E|mean of N normals|^2
double first_batch_error(double T, double N) {
  const Stream stream(7, Purpose::generator);
  const auto count = static_cast<std::uint64_t>(std::lround(N));
  constexpr std::uint64_t runs = 4000;
  double squares = 0;
  for (std::uint64_t r = 0; r < runs; ++r) {
    double sum = 0;
    for (std::uint64_t k = 0; k < count; ++k) sum += stream.normal(r * count + k);
    squares += sum * sum / (N * N) / static_cast<double>(runs);
  }
  return std::cbrt(T) * squares;
}

}  // namespace

Slip storm_direction() {
  return {"Algorithm alm-storm",
          "G = dhat + A'y + A'(A x - b) + lambda (x - z)",
          "G = dhat + A'(y_{t+1} + rho (A x - b)) + mu (x - z)",
          "|G - grad K| where dhat = grad f; rho = 2, mu = 4, lambda = 6",
          Demand::equal,
          0,
          from_gradient(1, 6),
          from_gradient(2, 4),
          "the analysis is about mu and rho"};
}

Slip storm_recursion() {
  return {"Section var_red, displayed recursion",
          "dhat_{t+1} = grad f(x_{t+1}, xi_{t+1}) + (1 - alpha)(dhat_t - grad f(x_t, xi_t))",
          "both gradients at xi_{t+1}, as in the algorithm's box",
          "E|dhat - grad f|^2 at a standing x, sigma = 1, alpha = 0.1; the lemma allows 3 alpha^2/(1 - "
          "(1-alpha)^2)",
          Demand::at_most,
          3 * 0.01 / (1 - 0.81),
          storm_error(false),
          storm_error(true),
          "with two samples nothing is reduced"};
}

Slip plain_case() {
  return {"Section var_red",
          "alpha = 0 gives Algorithm 1",
          "alpha = 1 gives Algorithm 1",
          "|x - x of Algorithm 1| after 20 steps with the same samples",
          Demand::equal,
          0,
          storm_against_plain(0),
          storm_against_plain(1),
          "none"};
}

Slip first_batch_size() {
  const double T = 1e6;
  // 4000 chi-squares: one standard error is 2.2%, five are 11%.
  return {"Algorithm alm-storm, remark after it",
          "first batch N = T^(1/6)",
          "N = T^(1/3)",
          "T^(1/3) E|dhat_0 - grad f|^2/sigma^2, T = 1e6, which the proof needs at most 1 (1.11 with the "
          "sampling error)",
          Demand::at_most,
          1.11,
          first_batch_error(T, std::pow(T, 1.0 / 6)),
          first_batch_error(T, std::cbrt(T)),
          "N is still negligible against T"};
}

// The coefficient of E|x_{t+1} - x_t|^2, times tau, that the proof asks for, with eta at the printed bound.
Slip dual_step_bound() {
  const double mu = 4, L_f = 1, norm = 2, tau = 0.01;
  const auto left = [&](double divisor) {
    const double eta = (mu - L_f) * (mu - L_f) * tau / (divisor * norm * norm);
    return 0.5 - 2 * eta * norm * norm / (tau * (mu - L_f) * (mu - L_f));
  };
  return {"Theorem alm_storm_descent, eta",
          "eta <= (mu - L_f)^2 tau/(4 |A|^2)",
          "8 for 4, as its proof has it",
          "tau (1/(2 tau) - 2 eta |A|^2/(tau (mu - L_f))^2), which the proof needs at least 1/4",
          Demand::at_least,
          0.25,
          left(4),
          left(8),
          "none: the branch never acts (see below)"};
}

Slip step_coefficient() {
  // 1/(4 tau) - L_K/2 - mu - 1/(16 tau), times tau, at tau = 1/(4 L_K + 8 mu)
  const double L_K = 6, mu = 4, tau = 1 / (4 * L_K + 8 * mu);
  const double left = 0.25 - tau * (L_K / 2 + mu) - 1.0 / 16;
  return {"proof of Theorem alm_storm_descent, last step",
          "the coefficient of E|x_{t+1} - x_t|^2 is at least 1/(8 tau)",
          "1/(16 tau) by that chain",
          "what the chain leaves, times tau, at the largest tau",
          Demand::at_most,
          left,
          1.0 / 8,
          1.0 / 16,
          "none: eta <= tau/(200 |A|^2) leaves 0.30/tau, so the theorem stands"};
}

Slip smoothing_coefficient() {
  return {"proof of Theorem alm_storm_descent",
          "mu/beta - mu/(5 beta) - mu/(6 beta) >= mu/beta",
          ">= mu/(2 beta), as the theorem has it",
          "the coefficient over mu/beta",
          Demand::at_most,
          1 - 1.0 / 5 - 1.0 / 6,
          1,
          0.5,
          "none"};
}

Slip dropped_mu() {
  const double mu = 4, next_z = 0.3, z = 0.1, x_star = 0.7, x_bar = -0.2;
  const double left = mu * (next_z - z) * (next_z + z - 2 * x_star) - 2 * mu * (next_z - z) * (z - x_bar);
  const auto right = [&](double factor) {
    return mu * (next_z - z) * (next_z - z) + factor * (next_z - z) * (x_bar - x_star);
  };
  return {"(axq4)",
          "mu |dz|^2 + 2 <dz, xbar - x*>",
          "mu |dz|^2 + 2 mu <dz, xbar - x*>",
          "the identity at a point",
          Demand::equal,
          left,
          right(2),
          right(2 * mu),
          "none: the next line has the mu again"};
}

double unused_branch_ratio() {
  double least = infinity;
  for (double L_f = 1e-3; L_f <= 1e3; L_f *= 1.1) {
    const double mu = std::max(2.0, 4 * L_f);
    least = std::min(least, (mu - L_f) * (mu - L_f) / 8 * 200);
  }
  return least;
}

}  // namespace bridle::paper
