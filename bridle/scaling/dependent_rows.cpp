#include "bridle/scaling/dependent_rows.hpp"

#include <cmath>

#include <Eigen/OrderingMethods>
#include <Eigen/SparseQR>

namespace bridle {
namespace {

constexpr Index most_rows = 1000;
constexpr Index most_entries = 200'000;
constexpr double tiny = 1e-10;  // rows have length 1

}  // namespace

std::vector<Index> dependent_rows(const Rows& rows, const std::vector<Index>& candidates) {
  std::vector<Index> equalities;
  std::vector<Eigen::Triplet<double>> entries;
  for (const Index i : candidates) {
    if (!rows.is_equality(i)) continue;
    const double length = rows.matrix.row(i).norm();
    if (!(length > 0)) continue;
    for (SparseRows::InnerIterator it(rows.matrix, i); it; ++it)
      entries.emplace_back(static_cast<int>(it.col()), static_cast<int>(equalities.size()),
                           it.value() / length);
    equalities.push_back(i);
  }
  const auto count = static_cast<Index>(equalities.size());
  if (count < 2 || count > most_rows || static_cast<Index>(entries.size()) > most_entries) return {};

  // A' P = Q R: columns of R beyond the rank are combinations of the ones before, with coefficients R11^-1
  // R12.
  SparseColumns transposed(rows.matrix.cols(), count);
  transposed.setFromTriplets(entries.begin(), entries.end());
  transposed.makeCompressed();
  Eigen::SparseQR<SparseColumns, Eigen::COLAMDOrdering<int>> qr;
  qr.setPivotThreshold(tiny);
  qr.compute(transposed);
  if (qr.info() != Eigen::Success || qr.rank() == count) return {};
  const Index rank = qr.rank();
  const Matrix upper = Matrix(qr.matrixR()).topRows(rank);
  const Eigen::VectorXi order = qr.colsPermutation().indices();
  const auto row_at = [&](Index k) { return equalities[static_cast<std::size_t>(order[k])]; };
  const auto right_at = [&](Index k) { return rows.lower[row_at(k)] / rows.matrix.row(row_at(k)).norm(); };
  Vector right(rank);
  for (Index k = 0; k < rank; ++k) right[k] = right_at(k);

  std::vector<Index> out;
  for (Index k = rank; k < count; ++k) {
    const Vector weights = upper.leftCols(rank).triangularView<Eigen::Upper>().solve(Vector(upper.col(k)));
    const double scale = 1 + weights.cwiseAbs().dot(right.cwiseAbs()) + std::abs(right_at(k));
    if (std::abs(weights.dot(right) - right_at(k)) <= 1e-9 * scale) out.push_back(row_at(k));
  }
  return out;
}

}  // namespace bridle
