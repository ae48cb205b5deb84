#include "bridle/algorithms/representations/arrow_metric.hpp"

#include <Eigen/Dense>

namespace bridle {
namespace {

// Of A A' + D, with the shift that RowMetric adds.
Vector diagonal_of(const StandardForm& form) {
  Vector out(form.rows());
  for (Index i = 0; i < form.rows(); ++i) out[i] = form.matrix().row(i).squaredNorm();
  for (std::size_t k = 0; k < form.slack_rows().size(); ++k) {
    const double coefficient = form.slack_coefficient()[static_cast<Index>(k)];
    out[form.slack_rows()[k]] += coefficient * coefficient;
  }
  if (out.size() > 0) out.array() += 1e-12 * out.maxCoeff();
  return out;
}

}  // namespace

std::optional<ArrowMetric> ArrowMetric::of(const StandardForm& form, const std::vector<Index>& grouped,
                                           const std::vector<Index>& others) {
  const auto many = static_cast<Index>(grouped.size()), few = static_cast<Index>(others.size());
  ArrowMetric out{Vector::Zero(many), Matrix::Zero(few, many), Matrix::Identity(few, few)};
  if (form.metric().kind() != MetricKind::cholesky) {
    const double scale = form.metric().kind() == MetricKind::diagonal ? form.metric().diagonal_scale() : 1.0;
    out.inverse.setConstant(scale);
    out.corner *= scale;
    return out;
  }
  const Vector diagonal = diagonal_of(form);
  for (Index g = 0; g < many; ++g) out.inverse[g] = 1 / diagonal[grouped[static_cast<std::size_t>(g)]];

  Matrix schur(few, few);
  Vector row(form.variables());
  for (Index k = 0; k < few; ++k) {
    row.setZero();
    for (SparseRows::InnerIterator it(form.matrix(), others[static_cast<std::size_t>(k)]); it; ++it)
      row[it.col()] = it.value();
    const Vector products = form.matrix() * row;
    for (Index g = 0; g < many; ++g)
      out.arms(k, g) = products[grouped[static_cast<std::size_t>(g)]] * out.inverse[g];
    for (Index l = 0; l < few; ++l) schur(k, l) = products[others[static_cast<std::size_t>(l)]];
    schur(k, k) = diagonal[others[static_cast<std::size_t>(k)]];
  }
  schur -= out.arms * out.inverse.cwiseInverse().asDiagonal() * out.arms.transpose();
  out.corner = schur.ldlt().solve(Matrix::Identity(few, few));
  if (!out.corner.allFinite() || !out.inverse.allFinite()) return std::nullopt;
  return out;
}

}  // namespace bridle
