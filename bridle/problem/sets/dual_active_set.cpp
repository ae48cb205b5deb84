#include "bridle/problem/sets/dual_active_set.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <Eigen/Dense>

#include "bridle/core/error.hpp"

namespace bridle::detail {

namespace {
// Relative to |b_i| + |x|; normals have length 1.
constexpr double violation_tolerance = 1e-13;
constexpr double loosest_tolerance = 1e-9;
// The sine of the angle between a normal and the span of others below which it is in the span.
constexpr double dependence_tolerance = 1e-12;
// Relative to the largest weight of a normal in terms of others: smaller ones are rounding.
constexpr double weight_tolerance = 1e-14;
// A multiplier larger than this, relative to the lengths at hand, bends x around rounding in nearly parallel
// rows.
constexpr double largest_multiplier = 1e9;
}  // namespace

ThinQr::ThinQr(Index dimension, Index capacity)
    : q_memory_(dimension * capacity),
      r_memory_(capacity * capacity),
      part_memory_(capacity),
      q_(q_memory_.matrix(dimension, capacity)),
      r_(r_memory_.matrix(capacity, capacity)),
      part_(part_memory_.vector()) {}

void ThinQr::split(ConstVectorRef a, VectorRef part, VectorRef rest) const {
  rest = a;
  part.head(size_).setZero();
  // Gram-Schmidt twice is enough to be orthogonal to working precision.
  for (int pass = 0; pass < 2; ++pass) {
    auto step = part_.head(size_);
    step.noalias() = q().transpose() * rest;
    rest.noalias() -= q() * step;
    part.head(size_) += step;
  }
}

void ThinQr::append(ConstVectorRef part, ConstVectorRef rest, double rest_length) {
  r_.col(size_).head(size_) = part.head(size_);
  r_(size_, size_) = rest_length;
  q_.col(size_) = rest / rest_length;
  ++size_;
}

void ThinQr::remove(Index column) {
  --size_;
  for (Index j = column; j < size_; ++j) r_.col(j).head(j + 2) = r_.col(j + 1).head(j + 2);
  // Rotations take away what now stands below the diagonal.
  for (Index j = column; j < size_; ++j) {
    Eigen::JacobiRotation<double> rotation;
    rotation.makeGivens(r_(j, j), r_(j + 1, j));
    r_.middleCols(j, size_ - j).applyOnTheLeft(j, j + 1, rotation.adjoint());
    q_.applyOnTheRight(j, j + 1, rotation);
  }
}

void ThinQr::solve(VectorRef coefficients) const {
  r_.topLeftCorner(size_, size_).triangularView<Eigen::Upper>().solveInPlace(coefficients);
}

void ThinQr::solve_transposed(VectorRef coefficients) const {
  r_.topLeftCorner(size_, size_).transpose().triangularView<Eigen::Lower>().solveInPlace(coefficients);
}

DualActiveSet::DualActiveSet(const Matrix& normals, std::span<const double> limits,
                             std::span<const Index> rows)
    : normals_(normals),
      limits_(limits),
      rows_(rows),
      qr_(normals.rows(), std::min(normals.rows(), static_cast<Index>(rows.size()))),
      is_active_(static_cast<Index>(rows.size())),
      allowance_(static_cast<Index>(rows.size())),
      active_(static_cast<Index>(rows.size())),
      multiplier_(static_cast<Index>(rows.size())),
      part_(static_cast<Index>(rows.size())),
      weight_(static_cast<Index>(rows.size())),
      rest_(normals.rows()),
      start_(normals.rows()) {}

std::vector<Index> DualActiveSet::project(VectorRef x) {
  start_.vector() = x;
  start_length_ = x.norm();
  for (Index k = 0; k < static_cast<Index>(rows_.size()); ++k) {
    is_active_[k] = false;
    allowance_[k] = 0;
  }

  // Exact arithmetic ends by itself. Rounding can make rows of an ill-conditioned corner take turns, each
  // violated a little at the point the others define; then that little is all the accuracy to be had.
  const Index patience = 50 + 10 * (normals_.rows() + static_cast<Index>(rows_.size()));
  for (double tolerance = violation_tolerance; tolerance <= loosest_tolerance; tolerance *= 10) {
    for (Index step = 0; step < patience; ++step) {
      const Index k = most_violated(x, tolerance);
      if (k < 0) {
        round_to_origin(x);
        return {};
      }
      if (const auto contradicting = activate(k, x); !contradicting.empty()) return contradicting;
    }
  }
  throw NotSettled("polyhedron: projection onto " + std::to_string(rows_.size()) + " rows did not settle");
}

// A length far below the start's is rounding where the origin was meant, and relative to it no row would be
// touched.
void DualActiveSet::round_to_origin(VectorRef x) const {
  if (!is_finite(start_length_) || x.norm() > 1e-14 * start_length_) return;
  for (Index k = 0; k < static_cast<Index>(rows_.size()); ++k)
    if (limit(k) < 0) return;
  x.setZero();
}

// -1 if none is violated.
Index DualActiveSet::most_violated(ConstVectorRef x, double tolerance) const {
  const double length = x.norm(), rounding = 1e-15 * start_length_;
  Index found = -1;
  double largest = 0;
  for (Index k = 0; k < static_cast<Index>(rows_.size()); ++k) {
    if (is_active_[k]) continue;
    const double by = excess(k, x);
    const double allowed = std::max(tolerance * (std::abs(limit(k)) + length) + rounding, allowance_[k]);
    if (by > allowed && by > largest) {
      largest = by;
      found = k;
    }
  }
  return found;
}

// Moves x to where row k holds with equality. If the active rows rule that out, lets row k be violated by as
// much as rounding explains, or returns the rows that contradict one another.
std::vector<Index> DualActiveSet::activate(Index k, VectorRef x) {
  auto part = part_.vector(), rest = rest_.vector();
  for (double multiplier = 0;;) {
    // normal(k) = sum of weight_j normal_j + rest. Raising the multiplier of row k by t lowers those of the
    // active rows by t weight_j and moves x by -t rest.
    const Index size = qr_.size();
    qr_.split(normal(k), part, rest);
    auto weight = weight_.vector().head(size);
    weight = part.head(size);
    qr_.solve(weight);
    const double rest_length = rest.norm(), by = excess(k, x);
    const bool independent = !qr_.full() && rest_length > dependence_tolerance;
    const double full_step = independent ? std::max(by, 0.0) / (rest_length * rest_length) : infinity;

    double step = infinity;
    Index blocking = -1;
    const double tiny = weight_tolerance * std::max(1.0, size > 0 ? weight.cwiseAbs().maxCoeff() : 0.0);
    for (Index j = 0; j < size; ++j)
      if (weight[j] > tiny && multiplier_[j] < step * weight[j]) {
        step = multiplier_[j] / weight[j];
        blocking = j;
      }
    const bool arrives = full_step <= step;
    step = std::min(step, full_step);

    // Before anything has changed: is row k minus a combination of active rows, or is that so but for
    // rounding? Rounding of their limits counts as often as the combination takes them.
    const double scale = std::abs(limit(k)) + x.norm() + start_length_;
    if (step == infinity || (multiplier == 0 && step > largest_multiplier * scale)) {
      const double allowed = scale * std::max(loosest_tolerance, 1e-14 * weight.lpNorm<1>());
      if (by <= allowed) {
        allowance_[k] = 2 * allowed;
        return {};
      }
      if (step == infinity) return contradiction(k);
    }

    if (independent) x -= step * rest;
    for (Index j = 0; j < size; ++j) multiplier_[j] = std::max(multiplier_[j] - step * weight[j], 0.0);
    multiplier += step;
    if (!arrives) {
      drop(blocking);
      continue;
    }
    qr_.append(part, rest, rest_length);
    active_[size] = k;
    multiplier_[size] = multiplier;
    is_active_[k] = true;
    refine(x);
    return {};
  }
}

void DualActiveSet::drop(Index position) {
  const Index last = qr_.size() - 1;
  is_active_[active_[position]] = false;
  for (Index j = position; j < last; ++j) {
    active_[j] = active_[j + 1];
    multiplier_[j] = multiplier_[j + 1];
  }
  qr_.remove(position);
}

// One Newton step onto the active rows, relative to |x| rather than to the way travelled, and multipliers
// afresh.
void DualActiveSet::refine(VectorRef x) {
  const Index size = qr_.size();
  auto step = weight_.vector().head(size);
  for (Index j = 0; j < size; ++j) step[j] = excess(active_[j], x);
  qr_.solve_transposed(step);
  x.noalias() -= qr_.q() * step;

  auto way = rest_.vector();
  way = start_.vector() - x;
  auto multiplier = multiplier_.vector().head(size);
  multiplier.noalias() = qr_.q().transpose() * way;
  qr_.solve(multiplier);
  multiplier = multiplier.cwiseMax(0.0);
}

// Row k and the active rows whose positive combination is minus row k: their sum reads 0 <= a negative
// number.
std::vector<Index> DualActiveSet::contradiction(Index k) const {
  std::vector<Index> rows;
  for (Index j = 0; j < qr_.size(); ++j)
    if (weight_[j] < -1e-9) rows.push_back(rows_[static_cast<std::size_t>(active_[j])]);
  rows.push_back(rows_[static_cast<std::size_t>(k)]);
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace bridle::detail
