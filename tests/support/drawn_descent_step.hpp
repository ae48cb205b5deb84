// The descent inequalities of Algorithms 2 and 4, whose rows are known through draws.
#pragma once

#include "bridle/algorithms/safeguarded.hpp"

#include "tests/support/descent_step.hpp"

namespace bridle::paper {

// Draws of a problem whose rows are all stochastic equalities, in the standard form without scaling.
class DrawnRows {
 public:
  explicit DrawnRows(const StandardForm& form) : form_(form) {}
  Matrix mean() const { return form_.matrix(); }
  Matrix matrix(Sample zeta) const {
    RowSample sample;
    form_.problem().stochastic_rows()->draw(zeta, sample);
    Matrix out = Matrix::Zero(form_.rows(), form_.variables());
    for (const auto& row : sample.rows)
      for (std::size_t e = row.begin; e < row.end; ++e)
        out(row.row, sample.columns[e]) = row.weight * sample.values[e];
    return out;
  }
  const Vector& right() const { return form_.right(); }

 private:
  const StandardForm& form_;
};

// Algorithm 2, Lemma appendix_descent_stochastic with the constants of docs/errata.md: |A|^4 for |A|^2 and
// L = E|A_zeta x - b_zeta|^2. All of y_{t+1}, x_{t+1} is random; the first-order effects of the noise on phi
// and d have mean 0 and are taken out of every sample. sigma_2^2 and L are the measured moments of the state.
inline DescentSides drawn_descent(const StandardForm& form, const Diagnosis& diagnosis, const Iterate& now,
                                  const Parameters& p, int samples, std::uint64_t seed) {
  const double lambda = diagnosis.constants().lambda(), norm = diagnosis.constants().row_norm;
  const double gamma_K = p.mu - diagnosis.constants().smoothness;
  const DrawnRows rows(form);
  const Matrix A = rows.mean();
  const Vector& b = rows.right();
  const Vector residual = A * now.x - b, mean_y = now.y + p.eta * residual;
  const InnerSolution u = diagnosis.proximal(now.x, mean_y, now.z),
                      x_star = diagnosis.dual_function(mean_y, now.z);
  const Vector on_u = A * u.v - b, on_x = A * x_star.v - b;
  Vector exact(form.dimension()), one(form.dimension()), point(form.variables());
  form.mean_gradient(now.x, exact, point);

  DescentSides out;
  double after = 0, moved = 0, broken = 0, noise = 0, spread = 0;
  Iterate next;
  for (int k = 0; k < samples; ++k) {
    const std::uint64_t own = seed + static_cast<std::uint64_t>(k);
    next = step_from(form, "safeguarded", now, p, own);
    const RowDraws draws(own);
    Sampler sampler(form.problem().objective().sample_count(), Sampling::reshuffled, own);
    form.gradient(now.x, sampler(0), one, point);
    const Matrix A1 = rows.matrix(draws.zeta1(0)), A2 = rows.matrix(draws.zeta2(0));
    const Vector G_noise = one - exact + A1.transpose() * (next.y + p.rho * (A2 * now.x - b)) -
                           A.transpose() * (next.y + p.rho * residual);
    const Vector y_noise = next.y - mean_y;
    const InnerSolution dual = diagnosis.dual_function(next.y, next.z);
    after += diagnosis.proximal(next.x, next.y, next.z).value - 2 * dual.value +
             p.tau * lambda * (now.x - u.v).dot(G_noise) - y_noise.dot(on_u) + 2 * y_noise.dot(on_x);
    moved += (diagnosis.proximal(now.x, next.y, now.z).v - now.x).squaredNorm();
    broken += (A * diagnosis.dual_function(next.y, now.z).v - b).squaredNorm();
    noise += G_noise.squaredNorm();
    spread += (next.y - now.y).squaredNorm() / (p.eta * p.eta);
  }
  const double count = samples;
  out.drop = diagnosis.potential(now.x, now.y, now.z) - after / count - 2 * diagnosis.envelope(next.z).value;
  out.terms = p.mu / (50 * p.beta) * (next.z - now.z).squaredNorm() +
              6 * p.tau * lambda * lambda / 400 * moved / count + p.eta / 8 * broken / count;
  out.noise_allowance = lambda * p.tau * p.tau * noise / count +
                        (1 + 17 * std::pow(norm, 4) / (gamma_K * gamma_K)) * p.eta * p.eta * spread / count;
  return out;
}

// What Algorithm 4's potential weighs: its three estimates' errors. dhat and chat belong to x, phat to the x
// before the last step.
struct EstimateErrors {
  double gradient, residual, pull;
  double sum() const { return gradient + residual + pull; }
};
inline EstimateErrors estimate_errors(const StandardForm& form, const Iterate& at, double rho) {
  const DrawnRows rows(form);
  const Matrix A = rows.mean();
  Vector exact(form.dimension()), point(form.variables());
  form.mean_gradient(at.x, exact, point);
  const Vector pull = A.transpose() * (at.y + rho * (A * at.previous_x - rows.right()));
  return {(at.estimate - exact).squaredNorm(),
          (at.residual_estimate - (A * at.x - rows.right())).squaredNorm(),
          (at.pull_estimate - pull).squaredNorm()};
}

// Algorithm 4. The paper's remark gives no constants: here Vbar carries all three errors with the weight of
// Algorithm 3, `squares` = L_0^2 + L_f^2 summed over what the three estimates estimate, and half of Algorithm
// 3's terms are asked for. variance: of one draw, summed over the three. Only K(x_{t+1}, ...) and the errors
// are random.
inline DescentSides drawn_storm_descent(const StandardForm& form, const Diagnosis& diagnosis,
                                        const Iterate& now, const Parameters& p, double squares,
                                        double variance, int samples, std::uint64_t seed) {
  const double weight = 1 / (48 * squares * p.tau);
  const DrawnRows rows(form);
  Iterate next;
  double lagrangian = 0, errors = 0, moved = 0;
  for (int k = 0; k < samples; ++k) {
    next = step_from(form, "safeguarded-storm", now, p, seed + static_cast<std::uint64_t>(k));
    lagrangian += diagnosis.smoothed_lagrangian(next.x, next.y, next.z) / samples;
    errors += estimate_errors(form, next, p.rho).sum() / samples;
    moved += (next.x - now.x).squaredNorm() / samples;
  }
  const double errors_now = estimate_errors(form, now, p.rho).sum();
  const double broken = residual_length(form, diagnosis.dual_function(next.y, now.z).v);
  DescentSides out;
  out.drop = certain_potential(diagnosis, now) + weight * (errors_now - errors) - lagrangian +
             2 * diagnosis.dual_function(next.y, next.z).value - 2 * diagnosis.envelope(next.z).value;
  out.terms = 0.5 * (p.mu / (2 * p.beta) * (next.z - now.z).squaredNorm() + moved / (8 * p.tau) +
                     p.eta / 2 * broken * broken + p.tau / 4 * errors_now);
  out.noise_allowance = 144 * squares * variance * p.tau * p.tau * p.tau;
  return out;
}

}  // namespace bridle::paper
