#include "bridle/run/finish.hpp"

namespace bridle {
namespace {

// Alternating projections between { A v = b } (exact when the metric is the Cholesky one) and V.
Vector restore_rows(const StandardForm& form, Vector v) {
  Vector residual(form.rows()), scratch(form.rows()), correction(v.size());
  const double scale = 1 + v.norm();
  const double damping = form.metric().kind() == MetricKind::identity ? 1 / form.metric().norm_squared() : 1;
  for (int k = 0; k < 200; ++k) {
    form.residual(v, residual);
    if (residual.norm() <= 1e-14 * scale) break;
    form.metric().apply(residual, scratch);
    correction.setZero();
    form.add_adjoint(residual, correction);
    v -= damping * correction;
    form.project(v);
  }
  return v;
}

// One iteration of Algorithm 1 from (v, y) with z = v and the full gradient.
Candidate full_step(const StandardForm& form, Vector v, Vector y, const Parameters& p) {
  Vector residual(form.rows()), scratch(form.rows()), gradient(v.size()), point(form.variables());
  form.residual(v, residual);
  form.metric().apply(residual, scratch);
  y += p.eta * residual;
  form.mean_gradient(v, gradient, point);
  form.add_adjoint(y + p.rho * residual, gradient);
  v -= p.tau * gradient;
  form.project(v);
  return {original_point(form, v), form.multipliers_to_original(y)};
}

}  // namespace

Vector original_point(const StandardForm& form, ConstVectorRef v) {
  Vector x = form.to_original(v);
  form.problem().set().project(x);
  return x;
}

std::vector<Candidate> finishing_candidates(const StandardForm& form, const Iterate& iterate,
                                            const Parameters& p) {
  std::vector<Candidate> out;
  const Vector y = form.multipliers_to_original(iterate.y);
  out.push_back({original_point(form, iterate.x), y});
  for (const Vector* start : {&iterate.x, &iterate.z}) {
    const Vector restored = restore_rows(form, *start);
    if (!restored.allFinite()) continue;
    out.push_back({original_point(form, restored), y});
    if (!form.problem().objective().has_exact_mean()) continue;
    const Candidate stepped = full_step(form, restored, iterate.y, p);
    if (!stepped.x.allFinite() || !stepped.y.allFinite()) continue;
    out.push_back(stepped);
  }
  return out;
}

}  // namespace bridle
