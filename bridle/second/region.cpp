#include "bridle/second/region.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/SparseCholesky>

namespace bridle::second {
namespace {

constexpr double touch_width = 1e-11;
constexpr double rounding_of_rows = 1e-13;

// a_i'x in extended precision, and the sum of |a_ij x_j|, where no x_j counts as less than its floor.
struct RowSum {
  long double value = 0;
  double size = 0;
};
RowSum sum_of_row(const Region& region, Index i, const Vector& x) {
  RowSum out;
  for (SparseRows::InnerIterator it(region.rows, i); it; ++it) {
    const Index j = it.col();
    out.value += static_cast<long double>(it.value()) * x[j];
    out.size += std::abs(it.value()) * std::max(std::abs(x[j]), region.floor.size() ? region.floor[j] : 0.0);
  }
  return out;
}

double scale_of(double bound, double size) {
  return bound != 0 ? std::max(std::abs(bound), 1e-11 * size) : size;
}

}  // namespace

std::optional<Region> Region::of(const Problem& problem) {
  const auto set = problem.set().description();
  if (!set) return std::nullopt;
  return of(problem, *set);
}

Region Region::of(const Problem& problem, const LinearDescription& set) {
  Region out;
  out.lower = set.bounds.lower;
  out.upper = set.bounds.upper;
  out.problem_rows = problem.rows().count();
  out.rows = stacked(problem.rows().matrix, set.rows);
  out.rows.prune(0.0);
  const Index count = out.rows.rows();
  out.row_lower.resize(count);
  out.row_upper.resize(count);
  out.row_lower << problem.rows().lower, set.lower;
  out.row_upper << problem.rows().upper, set.upper;
  return out;
}

Face Region::touched_by(const Vector& x) const {
  Face out{std::vector<Side>(static_cast<std::size_t>(dimension()), inside),
           std::vector<Side>(static_cast<std::size_t>(count()), inside)};
  for (Index j = 0; j < dimension(); ++j)
    out.variables[static_cast<std::size_t>(j)] = x[j] <= lower[j]   ? at_lower
                                                 : x[j] >= upper[j] ? at_upper
                                                                    : inside;
  for (Index i = 0; i < count(); ++i) {
    const RowSum sum = sum_of_row(*this, i, x);
    const auto touches = [&](double bound) {
      return is_finite(bound) && std::abs(static_cast<double>(sum.value - bound)) <=
                                     touch_width * std::max(std::abs(bound), sum.size);
    };
    out.rows[static_cast<std::size_t>(i)] = touches(row_upper[i])   ? at_upper
                                            : touches(row_lower[i]) ? at_lower
                                                                    : inside;
  }
  return out;
}

std::vector<Region::Target> Region::targets(const Vector& x, bool hold) const {
  std::vector<Target> out;
  bool any = false;
  for (Index i = 0; i < count(); ++i) {
    const RowSum sum = sum_of_row(*this, i, x);
    for (const double bound : {row_lower[i], row_upper[i]}) {
      const auto by = static_cast<double>(bound - sum.value);
      if (!is_finite(bound) || std::abs(by) == infinity) continue;
      const bool broken = equality(i) || (bound == row_lower[i] ? by > 0 : by < 0);
      const bool far = std::abs(by) > rounding_of_rows * scale_of(bound, sum.size);
      const bool touched = std::abs(by) <= touch_width * std::max(std::abs(bound), sum.size);
      if (!(broken && far) && !(hold && touched)) continue;
      any = any || (broken && far);
      out.push_back({i, broken && far ? by : 0});
      break;
    }
  }
  if (!any) out.clear();
  return out;
}

double Region::violation(const Vector& x) const {
  double worst = 0;
  for (Index i = 0; i < count(); ++i) {
    const RowSum sum = sum_of_row(*this, i, x);
    const auto short_by = static_cast<double>(row_lower[i] - sum.value),
               over_by = static_cast<double>(sum.value - row_upper[i]);
    if (short_by > 0) worst = std::max(worst, short_by / scale_of(row_lower[i], sum.size));
    if (over_by > 0) worst = std::max(worst, over_by / scale_of(row_upper[i], sum.size));
  }
  for (Index j = 0; j < dimension(); ++j)
    if (!(x[j] >= lower[j] && x[j] <= upper[j])) worst = infinity;
  return worst;
}

void Region::restore(Vector& x, const Vector& weight) const {
  constexpr int most_rounds = 8;
  x = x.cwiseMax(lower).cwiseMin(upper);
  Vector best = x;
  double least = infinity;
  for (int round = 0; round < most_rounds; ++round) {
    // Rows at their bounds are held there, unless there are too many of them for that.
    const auto held = targets(x, round % 2 == 0);
    if (held.empty()) return;
    if (const double now = violation(x); now < least) {
      least = now;
      best = x;
    }
    const auto size = static_cast<Index>(held.size());
    std::vector<Eigen::Triplet<double>> entries;
    Vector by(size);
    for (Index k = 0; k < size; ++k) {
      const auto& [row, amount] = held[static_cast<std::size_t>(k)];
      by[k] = amount;
      for (SparseRows::InnerIterator it(rows, row); it; ++it)
        if (x[it.col()] > lower[it.col()] && x[it.col()] < upper[it.col()])
          entries.emplace_back(k, it.col(), it.value());
    }
    SparseColumns matrix(size, dimension());
    matrix.setFromTriplets(entries.begin(), entries.end());
    SparseColumns normal = matrix * weight.asDiagonal() * SparseColumns(matrix.transpose());
    for (Index k = 0; k < size; ++k) normal.coeffRef(k, k) = normal.coeff(k, k) * (1 + 1e-11) + 1e-300;
    const Eigen::SimplicialLDLT<SparseColumns> factor(normal);
    if (factor.info() != Eigen::Success) break;
    const Vector move = weight.cwiseProduct(matrix.transpose() * factor.solve(by));
    if (!move.allFinite()) break;
    x = (x + move).cwiseMax(lower).cwiseMin(upper);
  }
  if (!(violation(x) <= least)) x = best;
}

}  // namespace bridle::second
