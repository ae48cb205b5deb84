// Both sides of the paper's descent inequalities for one step from a given state, the expectation over the
// step's sample taken as a mean over fresh samples. Used by the benchmark and by the tests of `diagnose`.
#pragma once

#include <vector>

#include "bridle/algorithms/registry.hpp"
#include "bridle/diagnose/diagnosis.hpp"
#include "bridle/params/theory.hpp"

#include "tests/support/diagnosis_figures.hpp"

namespace bridle::paper {

// E[potential now - potential after one step] >= terms - noise_allowance is what the theory says.
struct DescentSides {
  double drop = 0;             // E[V_t - V_{t+1}]
  double terms = 0;            // the sum of squares on the right-hand side
  double noise_allowance = 0;  // what the noise may add
  double margin() const { return drop - terms + noise_allowance; }
};

// The state after one step of the algorithm from `state`, with the samples of `seed`.
inline Iterate step_from(const StandardForm& form, const char* algorithm, Iterate state, const Parameters& p,
                         std::uint64_t seed) {
  state.draws = 0;
  const Stage stage{p, {}, 10};
  const auto method =
      find_algorithm(algorithm)->plain().create(form, stage, std::move(state), {.seed = seed});
  method->run(stage, 1, 1);  // not iteration 0: STORM would begin anew
  return method->snapshot();
}

inline double residual_length(const StandardForm& form, const Vector& v) {
  Vector r(form.rows());
  form.residual(v, r);
  return r.norm();
}

// Algorithm 1. Given the state, y_{t+1} and z_{t+1} are certain and only x_{t+1} depends on the sample. Its
// first-order effect on phi, -tau <lambda (x_t - u*), noise>, has mean 0 and is taken out of every sample: a
// control variate, so that few samples give a narrow interval.
inline DescentSides plain_descent(const StandardForm& form, const Diagnosis& diagnosis, const Iterate& now,
                                  const Parameters& p, double sigma, int samples, std::uint64_t seed) {
  const double lambda = diagnosis.constants().lambda();
  Iterate next = step_from(form, "smoothed", now, p, seed);
  const InnerSolution u = diagnosis.proximal(now.x, next.y, now.z);
  const InnerSolution x_star = diagnosis.dual_function(next.y, now.z);

  Vector exact(form.dimension()), one(form.dimension()), point(form.variables());
  form.mean_gradient(now.x, exact, point);
  double phi = 0;
  for (int k = 0; k < samples; ++k) {
    const std::uint64_t own = seed + static_cast<std::uint64_t>(k);
    next = step_from(form, "smoothed", now, p, own);
    Sampler sampler(form.problem().objective().sample_count(), Sampling::reshuffled, own);
    form.gradient(now.x, sampler(0), one, point);
    phi += diagnosis.proximal(next.x, next.y, next.z).value + p.tau * lambda * (now.x - u.v).dot(one - exact);
  }
  phi /= samples;

  DescentSides out;
  out.drop = diagnosis.potential(now.x, now.y, now.z) -
             (phi - 2 * diagnosis.dual_function(next.y, next.z).value + 2 * diagnosis.envelope(next.z).value);
  const double broken = residual_length(form, x_star.v);
  out.terms = p.mu / (50 * p.beta) * (next.z - now.z).squaredNorm() +
              7 * p.tau * lambda * lambda / 400 * (u.v - now.x).squaredNorm() + p.eta / 4 * broken * broken;
  out.noise_allowance = lambda * p.tau * p.tau * sigma * sigma;
  return out;
}

// Algorithm 3. Given the state, (x, y, z)_{t+1} are certain and only the estimate depends on the sample, so
// the samples cost no inner solve. The right-hand side is that of the paper's descent theorem for Algorithm
// 3, |A|^2 for |A| in L_K.
inline DescentSides storm_descent(const StandardForm& form, const Diagnosis& diagnosis, const Iterate& now,
                                  const Parameters& p, double mean_smoothness, double sigma, int samples,
                                  std::uint64_t seed) {
  const double smoothness = diagnosis.constants().smoothness;
  const double squares = mean_smoothness * mean_smoothness + smoothness * smoothness;
  const double weight = 1 / (48 * squares * p.tau);
  Vector exact(form.dimension()), point(form.variables());
  form.mean_gradient(now.x, exact, point);
  const double error_now = (now.estimate - exact).squaredNorm();

  Iterate next;
  double error_next = 0;
  for (int k = 0; k < samples; ++k) {
    next = step_from(form, "storm", now, p, seed + static_cast<std::uint64_t>(k));
    form.mean_gradient(next.x, exact, point);
    error_next += (next.estimate - exact).squaredNorm() / samples;
  }
  const InnerSolution x_star = diagnosis.dual_function(next.y, now.z);
  const double broken = residual_length(form, x_star.v);
  DescentSides out;
  out.drop = certain_potential(diagnosis, now) - certain_potential(diagnosis, next) +
             weight * (error_now - error_next);
  out.terms = p.mu / (2 * p.beta) * (next.z - now.z).squaredNorm() +
              1 / (8 * p.tau) * (next.x - now.x).squaredNorm() + p.eta / 2 * broken * broken +
              p.tau / 4 * error_now;
  out.noise_allowance = 144 * squares * sigma * sigma * p.tau * p.tau * p.tau;
  return out;
}

}  // namespace bridle::paper
