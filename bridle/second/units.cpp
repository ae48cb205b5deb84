#include "bridle/second/units.hpp"

#include <algorithm>
#include <cmath>

namespace bridle::second {
namespace {

// Lengths of variables for which there is no curvature; 0: unknown.
void lengths_from_rows(const Region& region, Vector& length) {
  constexpr int most_rounds = 5;
  for (int round = 0; round < most_rounds; ++round) {
    Vector next = length;
    bool any = false;
    for (Index i = 0; i < region.count(); ++i) {
      double known = 0;
      for (SparseRows::InnerIterator it(region.rows, i); it; ++it)
        known = std::max(known, std::abs(it.value()) * length[it.col()]);
      if (known == 0) continue;
      for (SparseRows::InnerIterator it(region.rows, i); it; ++it) {
        if (length[it.col()] > 0 || it.value() == 0) continue;
        const double fits = known / std::abs(it.value());
        double& its = next[it.col()];
        its = its > 0 ? std::min(its, fits) : fits;
        any = true;
      }
    }
    length = std::move(next);
    if (!any) return;
  }
}

}  // namespace

Vector positive_curvature(const Problem& problem, Landscape& landscape, const Region& region) {
  auto known = problem.objective().curvature_diagonal();
  if (!known || !known->allFinite()) {
    landscape.prepare_products(1, 0);
    known = landscape.diagonal();
  }
  Vector out = known->cwiseAbs();
  const double largest = out.size() ? out.maxCoeff() : 1;
  const double standard = largest > 0 && std::isfinite(largest) ? largest : 1;
  Vector length = Vector::Zero(out.size());
  for (Index j = 0; j < out.size(); ++j)
    if (out[j] > 0 && std::isfinite(out[j])) length[j] = 1 / std::sqrt(out[j]);
  if (length.size() == 0 || length.minCoeff() > 0) return out;
  lengths_from_rows(region, length);
  for (Index j = 0; j < out.size(); ++j) {
    if (length[j] == 0) {
      const double between = region.upper[j] - region.lower[j];
      length[j] = between > 0 && std::isfinite(between) ? between : 1 / std::sqrt(standard);
    }
    const double its = 1 / (length[j] * length[j]);
    if (!(out[j] > 0 && std::isfinite(out[j]))) out[j] = its > 0 && std::isfinite(its) ? its : standard;
  }
  return out;
}

Vector metric_of_rows(const Region& region, const Vector& curvature) {
  constexpr int rounds = 10;
  Vector column = Vector::Ones(region.dimension()), row = Vector::Ones(region.count());
  for (int round = 0; round < rounds; ++round) {
    Vector widest = Vector::Zero(column.size());
    for (Index i = 0; i < region.count(); ++i) {
      double longest = 0;
      for (SparseRows::InnerIterator it(region.rows, i); it; ++it)
        longest = std::max(longest, std::abs(it.value()) * column[it.col()]);
      if (longest > 0) row[i] = 1 / longest;
      for (SparseRows::InnerIterator it(region.rows, i); it; ++it)
        widest[it.col()] = std::max(widest[it.col()], std::abs(it.value()) * row[i] * column[it.col()]);
    }
    for (Index j = 0; j < column.size(); ++j)
      if (widest[j] > 0) column[j] /= std::sqrt(widest[j]);
  }
  Vector out = curvature;
  for (Index j = 0; j < column.size(); ++j)
    if (column[j] != 1 && std::isfinite(column[j])) out[j] = 1 / (column[j] * column[j]);
  return out;
}

}  // namespace bridle::second
