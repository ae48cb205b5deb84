#include "bridle/algorithms/representations/arrow_metric.hpp"

#include <algorithm>
#include <numeric>

#include <Eigen/Dense>

#include "bridle/algorithms/representations/half_lanes.hpp"

namespace bridle {
namespace {

constexpr std::size_t most_arms = 16;

// The few rows that must go so that no two of the others have a variable in common, short rows staying first;
// nothing when they are more.
std::optional<std::vector<Index>> rows_in_the_way(const SparseRows& matrix) {
  const auto entries = [&](Index i) { return matrix.outerIndexPtr()[i + 1] - matrix.outerIndexPtr()[i]; };
  std::vector<Index> order(static_cast<std::size_t>(matrix.rows())), out;
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return entries(a) < entries(b); });
  std::vector<bool> taken(static_cast<std::size_t>(matrix.cols()));
  for (const Index i : order) {
    bool is_free = true;
    for (SparseRows::InnerIterator it(matrix, i); it && is_free; ++it)
      is_free = !taken[static_cast<std::size_t>(it.col())];
    if (!is_free) {
      out.push_back(i);
      if (out.size() > most_arms) return std::nullopt;
      continue;
    }
    for (SparseRows::InnerIterator it(matrix, i); it; ++it) taken[static_cast<std::size_t>(it.col())] = true;
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

std::optional<ArrowMetric> ArrowMetric::of(const StandardForm& form) {
  if (form.metric().kind() != MetricKind::cholesky) return std::nullopt;
  const SparseRows& matrix = form.matrix();
  auto few = rows_in_the_way(matrix);
  if (!few) return std::nullopt;

  Vector diagonal(matrix.rows());
  for (Index i = 0; i < matrix.rows(); ++i) diagonal[i] = matrix.row(i).squaredNorm();
  for (std::size_t k = 0; k < form.slack_rows().size(); ++k) {
    const double coefficient = form.slack_coefficient()[static_cast<Index>(k)];
    diagonal[form.slack_rows()[k]] += coefficient * coefficient;
  }
  diagonal.array() += 1e-12 * diagonal.maxCoeff();  // as RowMetric does

  ArrowMetric out;
  out.few_ = std::move(*few);
  out.inverse_ = LaneVector(Vector(diagonal.cwiseInverse()));
  out.lanes_ = out.inverse_.blocks() * lanes;
  for (const Index i : out.few_) out.inverse_[i] = 0;
  const auto arms = static_cast<Index>(out.few_.size());
  Matrix products(arms, matrix.rows());  // of the few with all rows
  Vector row(matrix.cols());
  for (Index k = 0; k < arms; ++k) {
    row.setZero();
    for (SparseRows::InnerIterator it(matrix, out.few_[static_cast<std::size_t>(k)]); it; ++it)
      row[it.col()] = it.value();
    products.row(k) = (matrix * row).transpose();
    out.arms_.emplace_back(Vector(products.row(k).transpose().cwiseProduct(out.inverse_.values())));
  }
  Matrix schur(arms, arms);
  for (Index k = 0; k < arms; ++k)
    for (Index l = 0; l < arms; ++l) {
      const Index other = out.few_[static_cast<std::size_t>(l)];
      const double own = k == l ? diagonal[other] : products(k, other);
      schur(k, l) = own - products.row(l).dot(out.arms_[static_cast<std::size_t>(k)].values());
    }
  out.corner_ = schur.ldlt().solve(Matrix::Identity(arms, arms));
  if (!out.corner_.allFinite()) return std::nullopt;
  return out;
}

void ArrowMetric::apply(const double* r, double* out) const {
  multiply(lanes_, inverse_.data(), r, out);
  double left[most_arms], pulls[most_arms];
  const std::size_t arms = few_.size();
  for (std::size_t k = 0; k < arms; ++k) left[k] = r[few_[k]] - dot_product(lanes_, arms_[k].data(), r);
  for (std::size_t k = 0; k < arms; ++k) {
    pulls[k] = 0;
    for (std::size_t l = 0; l < arms; ++l)
      pulls[k] += corner_(static_cast<Index>(k), static_cast<Index>(l)) * left[l];
  }
  for (std::size_t k = 0; k < arms; ++k) add_multiple(lanes_, -pulls[k], arms_[k].data(), out);
  for (std::size_t k = 0; k < arms; ++k) out[few_[k]] = pulls[k];
}

}  // namespace bridle
