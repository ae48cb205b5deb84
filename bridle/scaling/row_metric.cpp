#include "bridle/scaling/row_metric.hpp"

#include <algorithm>

#include <Eigen/Dense>
#include <Eigen/SparseCholesky>

namespace bridle {
namespace {

// Of A A' + D, without forming it.
double largest_eigenvalue(const SparseRows& matrix, const Vector& diagonal) {
  Vector v = Vector::LinSpaced(matrix.rows(), 1.0, 2.0);
  double value = 1;
  for (int k = 0; k < 60; ++k) {
    v.normalize();
    const Vector image = matrix.transpose() * v;
    v = matrix * image + diagonal.cwiseProduct(v);
    value = v.norm();
    if (!(value > 0)) return 1;
  }
  return value;
}

// An upper bound on the entries of A A': every column joins all pairs of its rows.
double gram_entries(const SparseRows& matrix) {
  Vector counts = Vector::Zero(matrix.cols());
  for (Index i = 0; i < matrix.rows(); ++i)
    for (SparseRows::InnerIterator it(matrix, i); it; ++it) counts[it.col()] += 1;
  return counts.squaredNorm();
}

SparseColumns gram_matrix(const SparseRows& matrix, const Vector& diagonal) {
  const SparseColumns columns = matrix, transposed = matrix.transpose();
  SparseColumns gram = columns * transposed, added(matrix.rows(), matrix.rows());
  added.setIdentity();
  added.diagonal() = diagonal;
  return SparseColumns(gram + added);
}

}  // namespace

RowMetric::RowMetric(MetricKind kind, const SparseRows& matrix, const Vector& diagonal) : kind_(kind) {
  if (matrix.rows() == 0) return;
  if (kind_ == MetricKind::cholesky) {
    // A dense row or column pattern is no obstacle while the rows are few.
    const auto rows = static_cast<double>(matrix.rows());
    if (std::min(gram_entries(matrix), rows * rows) > static_cast<double>(factor_limit))
      kind_ = MetricKind::diagonal;
    else
      factorise(gram_matrix(matrix, diagonal));
  }
  if (kind_ == MetricKind::diagonal) scale_ = 1 / largest_eigenvalue(matrix, diagonal);
  if (kind_ == MetricKind::identity) norm_squared_ = largest_eigenvalue(matrix, diagonal);
}

void RowMetric::factorise(const SparseColumns& gram) {
  // Dependent rows make the Gram matrix singular; the tiny shift keeps the factor finite and changes no
  // constraint.
  SparseColumns shifted = gram;
  const double shift = 1e-12 * gram.diagonal().maxCoeff();
  SparseColumns identity(gram.rows(), gram.rows());
  identity.setIdentity();
  shifted += shift * identity;

  if (gram.rows() <= dense_limit) {
    const Matrix inverse = Matrix(shifted).ldlt().solve(Matrix::Identity(gram.rows(), gram.rows()));
    if (inverse.allFinite()) {
      inverse_ = SmallMatrix(inverse);
      return;
    }
  } else {
    Eigen::SimplicialLDLT<SparseColumns> ldlt;
    ldlt.analyzePattern(shifted);
    ldlt.factorize(shifted);
    if (ldlt.info() == Eigen::Success && ldlt.vectorD().minCoeff() > 0) {
      const SparseColumns lower = ldlt.matrixL();
      if (lower.nonZeros() <= factor_limit) {
        factor_ = lower.triangularView<Eigen::StrictlyLower>();
        factor_.makeCompressed();
        inverse_pivots_ = ldlt.vectorD().cwiseInverse();
        position_ = ldlt.permutationP().indices();
        if (position_.size() == 0)
          position_ = Eigen::VectorXi::LinSpaced(gram.rows(), 0, static_cast<int>(gram.rows()) - 1);
        return;
      }
    }
  }
  kind_ = MetricKind::diagonal;
}

void RowMetric::apply(VectorRef r, VectorRef scratch) const {
  if (r.size() == 0 || kind_ == MetricKind::identity) return;
  if (kind_ == MetricKind::diagonal) {
    r *= scale_;
    return;
  }
  if (inverse_.size()) {
    inverse_.multiply(r.data(), scratch.data());
    r = scratch;
    return;
  }
  for (Index i = 0; i < r.size(); ++i) scratch[position_[i]] = r[i];
  const auto* starts = factor_.outerIndexPtr();
  const auto* rows = factor_.innerIndexPtr();
  const auto* values = factor_.valuePtr();
  for (Index k = 0; k < r.size(); ++k) {  // L v = P r
    const double v = scratch[k];
    for (auto e = starts[k]; e < starts[k + 1]; ++e) scratch[rows[e]] -= values[e] * v;
  }
  for (Index k = r.size(); k-- > 0;) {  // L' w = D^-1 v
    double v = scratch[k] * inverse_pivots_[k];
    for (auto e = starts[k]; e < starts[k + 1]; ++e) v -= values[e] * scratch[rows[e]];
    scratch[k] = v;
  }
  for (Index i = 0; i < r.size(); ++i) r[i] = scratch[position_[i]];
}

}  // namespace bridle
