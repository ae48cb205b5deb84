#include "bridle/finish/rays.hpp"

#include <cmath>

#include "bridle/problem/objectives/quadratic.hpp"

namespace bridle {
namespace {

// A finite bound becomes 0, an infinite one stays.
Vector homogeneous(Vector bounds) {
  for (double& bound : bounds)
    if (is_finite(bound)) bound = 0;
  return bounds;
}

// c so that the entries of A diag(c), rows divided by their largest, are about 1 in every column (Ruiz).
Vector column_units(const SparseRows& matrix) {
  Vector rows = Vector::Ones(matrix.rows()), columns = Vector::Ones(matrix.cols());
  for (int round = 0; round < 10; ++round) {
    Vector row_most = Vector::Zero(rows.size()), column_most = Vector::Zero(columns.size());
    for (Index i = 0; i < matrix.rows(); ++i)
      for (SparseRows::InnerIterator it(matrix, i); it; ++it) {
        const double entry = std::abs(it.value()) * rows[i] * columns[it.col()];
        row_most[i] = std::max(row_most[i], entry);
        column_most[it.col()] = std::max(column_most[it.col()], entry);
      }
    for (Index i = 0; i < rows.size(); ++i)
      if (row_most[i] > 0) rows[i] /= std::sqrt(row_most[i]);
    for (Index j = 0; j < columns.size(); ++j)
      if (column_most[j] > 0) columns[j] /= std::sqrt(column_most[j]);
  }
  return columns;
}

}  // namespace

std::optional<FeasibleSet::LeastViolation> contradiction(const Problem& problem, double most_entries) {
  auto set = problem.set().description();
  if (!set) return {};
  const Rows& rows = problem.rows();
  const Vector unit = column_units(rows.matrix);
  set->rows = set->rows * unit.asDiagonal();
  set->bounds.lower = set->bounds.lower.cwiseQuotient(unit);
  set->bounds.upper = set->bounds.upper.cwiseQuotient(unit);
  const auto scaled =
      FeasibleSet::of(*set, rows.matrix * unit.asDiagonal(), rows.lower, rows.upper, most_entries);
  if (!scaled) return {};
  FeasibleSet::LeastViolation found = scaled->least_violation();
  found.x = found.x.cwiseProduct(unit);
  return found;
}

std::optional<Vector> recession_direction(const Problem& problem, const Vector& slope, bool flat) {
  auto set = problem.set().description();
  if (!set) return {};
  set->bounds = {homogeneous(set->bounds.lower), homogeneous(set->bounds.upper)};
  set->lower = homogeneous(set->lower);
  set->upper = homogeneous(set->upper);
  const Rows& rows = problem.rows();
  SparseRows matrix = rows.matrix;
  Vector lower = homogeneous(rows.lower), upper = homogeneous(rows.upper);
  const Quadratic* quadratic = problem.objective().as_quadratic();
  if (flat && quadratic && quadratic->hessian().nonZeros() > 0) {
    const SparseRows hessian = quadratic->hessian();
    std::vector<Eigen::Triplet<double>> entries;
    Index bent = rows.count();
    const auto add = [&](const SparseRows& part, Index row, Index as) {
      for (SparseRows::InnerIterator it(part, row); it; ++it) entries.emplace_back(as, it.col(), it.value());
    };
    for (Index i = 0; i < rows.count(); ++i) add(rows.matrix, i, i);
    for (Index j = 0; j < hessian.rows(); ++j)
      if (hessian.row(j).squaredNorm() > 0) add(hessian, j, bent++);
    matrix.resize(bent, problem.dimension());
    matrix.setFromTriplets(entries.begin(), entries.end());
    lower.conservativeResize(bent);
    upper.conservativeResize(bent);
    lower.tail(bent - rows.count()).setZero();
    upper.tail(bent - rows.count()).setZero();
  }
  // In units v = x / unit; a cone does not mind.
  const Vector unit = column_units(matrix);
  matrix = matrix * unit.asDiagonal();
  set->rows = set->rows * unit.asDiagonal();
  const auto cone = FeasibleSet::of(*set, matrix, lower, upper);
  if (!cone) return {};
  Vector scaled = slope.cwiseProduct(unit);
  const double largest = scaled.lpNorm<Eigen::Infinity>();
  if (largest > 0) scaled /= largest;
  return cone->project(-scaled, Vector::Ones(unit.size())).x.cwiseProduct(unit);
}

}  // namespace bridle
