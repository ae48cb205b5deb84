#include "bridle/certify/unboundedness.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bridle/problem/objectives/quadratic.hpp"

namespace bridle {
namespace {

constexpr double rounding = 1e-15;  // of the sum of absolute values: that of the direction's own entries
constexpr double clearly = 1e-9;    // of that sum
constexpr int doublings = 200;

// (A d)_i may only go where no bound is.
bool rows_allow(const SparseRows& matrix, const Vector& lower, const Vector& upper, const Vector& d) {
  for (Index i = 0; i < matrix.rows(); ++i) {
    long double sum = 0, size = 0;
    for (SparseRows::InnerIterator it(matrix, i); it; ++it) {
      const long double term = static_cast<long double>(it.value()) * d[it.col()];
      sum += term;
      size += std::abs(term);
    }
    if (!std::isfinite(size)) return false;
    if (is_finite(lower[i]) && sum < -rounding * size) return false;
    if (is_finite(upper[i]) && sum > rounding * size) return false;
  }
  return true;
}

// Where Q d is 0 the slope is c'd, whatever x is: far out that is what rounding leaves of it.
bool falls_for_ever(const Quadratic& f, const Vector& gradient, const Vector& d) {
  using Wide = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
  Wide bends = Wide::Zero(d.size()), sizes = bends;  // Q d
  long double bend = 0, bend_size = 0, slope = 0, slope_size = 0;
  for (Index k = 0; k < f.hessian().outerSize(); ++k)
    for (SparseColumns::InnerIterator it(f.hessian(), k); it; ++it) {
      const long double term = static_cast<long double>(it.value()) * d[k];
      bends[it.row()] += term;
      sizes[it.row()] += std::abs(term);
    }
  for (Index j = 0; j < d.size(); ++j) {
    bend += bends[j] * d[j];
    bend_size += sizes[j] * std::abs(d[j]);
  }
  const bool flat = (bends.array().abs() <= rounding * sizes.array()).all();
  for (Index j = 0; j < d.size(); ++j) {
    const long double term = static_cast<long double>(flat ? f.cost()[j] : gradient[j]) * d[j];
    slope += term;
    slope_size += std::abs(term);
  }
  if (!std::isfinite(bend_size) || !std::isfinite(slope_size)) return false;
  if (bend_size > 0 && bend <= -clearly * bend_size) return true;
  return bend <= rounding * bend_size && slope_size > 0 && slope <= -clearly * slope_size;
}

bool falls_for_ever(const AnyObjective& f, const Vector& x, const Vector& d) {
  const auto first = f.mean_value(x);
  if (!first || !std::isfinite(*first)) return false;
  const double largest = x.lpNorm<Eigen::Infinity>();
  double t = (largest > 0 ? largest : 1) / d.lpNorm<Eigen::Infinity>();
  double before = *first, least_fall = 0;
  for (int k = 0; k < doublings; ++k, t *= 2) {
    const double now = *f.mean_value(x + t * d);
    const double fall = before - now;
    if (!std::isfinite(now) || !(fall > clearly * std::abs(before)) || !(fall >= least_fall)) return false;
    least_fall = fall;
    before = now;
  }
  return true;
}

Names moved_variables(const Problem& problem, const Vector& d) {
  std::vector<Index> order(static_cast<std::size_t>(d.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::erase_if(order, [&](Index j) { return std::abs(d[j]) < 1e-9; });
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return std::abs(d[a]) > std::abs(d[b]); });
  Names out;
  for (const Index j : order) out.push_back(problem.variable_names()[static_cast<std::size_t>(j)]);
  return out;
}

}  // namespace

bool bounded_below(const AnyObjective& f) { return f.as_linear_model() != nullptr; }

std::optional<Unboundedness> prove_unbounded(const Problem& problem, const Vector& x, const Vector& d) {
  if (problem.has_smooth_rows()) return {};  // they may end any direction
  if (bounded_below(problem.objective())) return {};
  const auto set = problem.set().description();
  if (!set || problem.first_stochastic_row() < problem.rows().count() || !d.allFinite()) return {};
  const double largest = d.lpNorm<Eigen::Infinity>();
  if (!(largest > 0) || !problem.objective().has_exact_mean()) return {};
  Unboundedness out;
  out.from = x;
  out.direction = d / largest;
  for (Index j = 0; j < d.size(); ++j) {  // bounds are kept exactly
    if (is_finite(set->bounds.lower[j])) out.direction[j] = std::max(out.direction[j], 0.0);
    if (is_finite(set->bounds.upper[j])) out.direction[j] = std::min(out.direction[j], 0.0);
  }
  const Vector& ray = out.direction;
  if (ray.isZero(0) || !rows_allow(set->rows, set->lower, set->upper, ray) ||
      !rows_allow(problem.rows().matrix, problem.rows().lower, problem.rows().upper, ray))
    return {};
  Vector gradient(x.size());
  problem.objective().mean_gradient(x, gradient);
  const Quadratic* quadratic = problem.objective().as_quadratic();
  if (!gradient.allFinite() ||
      !(quadratic ? falls_for_ever(*quadratic, gradient, ray) : falls_for_ever(problem.objective(), x, ray)))
    return {};
  out.slope = gradient.dot(ray);
  out.variables = moved_variables(problem, ray);
  return out;
}

}  // namespace bridle
