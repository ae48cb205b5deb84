#include "bridle/scaling/dependent_rows.hpp"

#include <cmath>

#include <Eigen/SparseCholesky>

namespace bridle {
namespace {

constexpr Index most_rows = 20'000;
constexpr Index most_entries = 200'000;
constexpr double suspect = 1e-10;   // squared sine of the angle to the span of the rows before
constexpr double tiny = 1e-10;      // rows have length 1
constexpr double no_angle = 1e-15;  // added to the Gram matrix, so that its factor exists

using Factor = Eigen::SimplicialLDLT<SparseColumns>;

SparseColumns gram(const SparseColumns& transposed) {
  SparseColumns out = SparseColumns(transposed.transpose()) * transposed;
  for (Index i = 0; i < out.rows(); ++i) out.coeffRef(i, i) += no_angle;
  return out;
}

// The least-squares weights of row over the columns of span, refined against the normal equations' rounding.
Vector weights_of(const Vector& row, const SparseColumns& span, const Factor& factor) {
  Vector weights = Vector::Zero(span.cols());
  for (int k = 0; k < 3; ++k) weights += factor.solve(span.transpose() * (row - span * weights));
  return weights;
}

}  // namespace

std::vector<Index> dependent_rows(const Rows& rows, const std::vector<Index>& candidates) {
  std::vector<Index> equalities;
  std::vector<Eigen::Triplet<double>> entries;
  std::vector<double> right;
  for (const Index i : candidates) {
    if (!rows.is_equality(i)) continue;
    const double length = rows.matrix.row(i).norm();
    if (!(length > 0)) continue;
    for (SparseRows::InnerIterator it(rows.matrix, i); it; ++it)
      entries.emplace_back(static_cast<int>(it.col()), static_cast<int>(equalities.size()),
                           it.value() / length);
    equalities.push_back(i);
    right.push_back(rows.lower[i] / length);
  }
  const auto count = static_cast<Index>(equalities.size());
  if (count < 2 || count > most_rows || static_cast<Index>(entries.size()) > most_entries) return {};
  SparseColumns transposed(rows.matrix.cols(), count);
  transposed.setFromTriplets(entries.begin(), entries.end());

  // A pivot of A A' is the squared sine of the angle between its row and those before it.
  const Factor pivots(gram(transposed));
  if (pivots.info() != Eigen::Success) return {};
  std::vector<Index> suspects;
  Eigen::VectorXi place = Eigen::VectorXi::Constant(count, -1);  // among the rows that are kept for sure
  int kept = 0;
  for (Index i = 0; i < count; ++i) {
    const Index position = pivots.permutationP().size() ? pivots.permutationP().indices()[i] : i;
    if (pivots.vectorD()[position] < suspect)
      suspects.push_back(i);
    else
      place[i] = kept++;
  }
  if (suspects.empty()) return {};

  SparseColumns span(transposed.rows(), kept);
  Vector span_right(kept);
  std::vector<Eigen::Triplet<double>> sure;
  for (const auto& entry : entries)
    if (place[entry.col()] >= 0) sure.emplace_back(entry.row(), place[entry.col()], entry.value());
  span.setFromTriplets(sure.begin(), sure.end());
  for (Index i = 0; i < count; ++i)
    if (place[i] >= 0) span_right[place[i]] = right[static_cast<std::size_t>(i)];
  const Factor factor(gram(span));
  if (factor.info() != Eigen::Success) return {};

  std::vector<Index> out;
  for (const Index i : suspects) {
    const Vector row = transposed.col(i);
    const Vector weights = weights_of(row, span, factor);
    const double own = right[static_cast<std::size_t>(i)];
    const double scale = 1 + weights.cwiseAbs().dot(span_right.cwiseAbs()) + std::abs(own);
    if ((row - span * weights).norm() <= tiny * (1 + weights.norm()) &&
        std::abs(weights.dot(span_right) - own) <= 1e-9 * scale)
      out.push_back(equalities[static_cast<std::size_t>(i)]);
  }
  return out;
}

}  // namespace bridle
