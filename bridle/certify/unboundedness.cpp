#include "bridle/certify/unboundedness.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bridle/certify/scales.hpp"
#include "bridle/problem/objectives/quadratic.hpp"

namespace bridle {
namespace {

constexpr double rounding = 1e-15;  // of the sum of absolute values: that of the direction's own entries
constexpr double clearly = 1e-9;    // of that sum
constexpr double leverage = 1e8;    // of the fall, over what the rows' drift could be worth
constexpr double unit = 1.1e-19;    // rounding of one term in extended precision
constexpr int doublings = 200;

// How f falls along a direction: per unit of t, and what every variable is worth in that.
struct Fall {
  long double rate = 0;
  Vector worth;
};

// How far every (A d)_i goes where a bound is. Nothing where that is more than the rounding of d.
std::optional<WideVector> drift_of(const SparseRows& matrix, const Vector& lower, const Vector& upper,
                                   const Vector& d) {
  WideVector out = WideVector::Zero(matrix.rows());
  for (Index i = 0; i < matrix.rows(); ++i) {
    long double sum = 0, size = 0;
    for (SparseRows::InnerIterator it(matrix, i); it; ++it) {
      const long double term = static_cast<long double>(it.value()) * d[it.col()];
      sum += term;
      size += std::abs(term);
    }
    if (!std::isfinite(size)) return {};
    if (is_finite(lower[i])) out[i] = std::max(out[i], -sum);
    if (is_finite(upper[i])) out[i] = std::max(out[i], sum);
    if (out[i] > rounding * size) return {};
  }
  return out;
}

// Where Q d is 0 the slope is c'd, whatever x is: far out that is what rounding leaves of it. Curvature
// counts down to the rounding of its own sum: Q is given, and (x - y)^2 + 1e-15 y^2 has a minimum.
std::optional<Fall> fall_of(const Quadratic& f, const Vector& gradient, const Vector& d) {
  WideVector bends = WideVector::Zero(d.size()), sizes = bends;  // Q d
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
  const Vector& slopes = flat ? f.cost() : gradient;
  for (Index j = 0; j < d.size(); ++j) {
    const long double term = static_cast<long double>(slopes[j]) * d[j];
    slope += term;
    slope_size += std::abs(term);
  }
  if (!std::isfinite(bend_size) || !std::isfinite(slope_size)) return {};
  if (bend_size > 0 && bend <= -clearly * bend_size) return Fall{-bend, sizes.cast<double>()};
  const double noise = std::min(rounding, unit * static_cast<double>(f.hessian().nonZeros() + d.size()));
  if (bend > noise * bend_size || !(slope_size > 0) || !(slope <= -clearly * slope_size)) return {};
  return Fall{-slope, slopes.cwiseAbs()};
}

std::optional<Fall> fall_of(const AnyObjective& f, const Vector& x, const Vector& gradient, const Vector& d) {
  const auto first = f.mean_value(x);
  if (!first || !std::isfinite(*first)) return {};
  const double largest = x.lpNorm<Eigen::Infinity>();
  double t = (largest > 0 ? largest : 1) / d.lpNorm<Eigen::Infinity>();
  double before = *first, least_fall = 0, rate = infinity;
  for (int k = 0; k < doublings; ++k, t *= 2) {
    const double now = *f.mean_value(x + t * d);
    const double fall = before - now;
    if (!std::isfinite(now) || !(fall > clearly * std::abs(before)) || !(fall >= least_fall)) return {};
    rate = std::min(rate, fall / t);
    least_fall = fall;
    before = now;
  }
  return Fall{rate, gradient.cwiseAbs()};
}

// A direction of zero cost and of any length may go a little where a row has its bound, and what f falls
// along it may be bought by that alone: the drift of the rows, at their natural multipliers, must be worth
// nothing beside the fall.
bool falls_by_itself(const Fall& fall, const SparseRows& matrix, const WideVector& drift) {
  if (!(drift.array() > 0).any()) return true;
  const Vector prices = natural_multipliers(matrix, fall.worth);
  long double bought = 0;
  for (Index i = 0; i < drift.size(); ++i)
    if (drift[i] > 0 && is_finite(prices[i])) bought += drift[i] * prices[i];
  return fall.rate >= leverage * bought;
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
  const SparseRows matrix = stacked(problem.rows().matrix, set->rows);
  Vector lower(matrix.rows()), upper(matrix.rows());
  lower << problem.rows().lower, set->lower;
  upper << problem.rows().upper, set->upper;
  const auto drift = drift_of(matrix, lower, upper, ray);
  if (ray.isZero(0) || !drift) return {};
  Vector gradient(x.size());
  problem.objective().mean_gradient(x, gradient);
  const Quadratic* quadratic = problem.objective().as_quadratic();
  if (!gradient.allFinite()) return {};
  const auto fall =
      quadratic ? fall_of(*quadratic, gradient, ray) : fall_of(problem.objective(), x, gradient, ray);
  if (!fall || !falls_by_itself(*fall, matrix, *drift)) return {};
  out.slope = gradient.dot(ray);
  out.variables = moved_variables(problem, ray);
  return out;
}

}  // namespace bridle
