#include "bridle/diagnose/face.hpp"

#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/SVD>

namespace bridle {

FaceStability face_stability(const StandardForm& form, const Vector& v, const Parameters& p,
                             double curvature) {
  // Free: a little push either way stays in V.
  std::vector<Index> free;
  const double push = 1e-6 * (1 + v.lpNorm<Eigen::Infinity>());
  for (Index j = 0; j < form.dimension(); ++j) {
    bool moves = true;
    for (const double step : {push, -push}) {
      Vector moved = v;
      moved[j] += step;
      Vector projected = moved;
      form.project(projected);
      moves = moves && (projected - moved).lpNorm<Eigen::Infinity>() <= 0.5 * push;
    }
    if (moves) free.push_back(j);
  }
  FaceStability out;
  out.free_columns = static_cast<Index>(free.size());
  if (free.empty() || form.rows() == 0) return out;

  // M = R'R; the singular values of R A_F.
  const Index m = form.rows();
  Matrix metric(m, m), columns(m, out.free_columns);
  Vector scratch(m);
  for (Index i = 0; i < m; ++i) {
    Vector unit = Vector::Unit(m, i);
    form.metric().apply(unit, scratch);
    metric.col(i) = unit;
  }
  const Vector at_zero = [&] {
    Vector r(m);
    form.residual(Vector::Zero(form.dimension()), r);
    return r;
  }();
  for (Index k = 0; k < out.free_columns; ++k) {
    Vector r(m);
    form.residual(Vector::Unit(form.dimension(), free[static_cast<std::size_t>(k)]), r);
    columns.col(k) = r - at_zero;
  }
  const Eigen::LLT<Matrix> root(0.5 * (metric + metric.transpose()));
  if (root.info() != Eigen::Success) return out;
  const Vector values = Eigen::BDCSVD<Matrix>(root.matrixU() * columns).singularValues();
  for (Index k = 0; k < values.size(); ++k)
    if (values[k] > 1e-9 * values[0]) out.smallest_singular_value = values[k];
  const double s2 = out.smallest_singular_value * out.smallest_singular_value, h = -curvature;
  const double a = h + p.mu + p.rho * s2, k_e = p.eta / p.tau, k_b = p.beta / p.tau;
  out.margin = (a * k_e * s2 + (a + k_b) * k_b * (h + p.rho * s2)) / std::pow(curvature, 3);
  return out;
}

}  // namespace bridle
