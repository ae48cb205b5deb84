#include "bridle/certify/scales.hpp"

#include <algorithm>
#include <utility>

#include "bridle/certify/exact_sum.hpp"

namespace bridle {
namespace {

constexpr double empty_handed = 1e-6;  // a row that adds up less than this share of what it could
constexpr double rounding_of_worth = 1e-8;
constexpr int most_rows_on_the_way = 3;  // from a cost to a variable that has none
constexpr double suspicious = 1000;
constexpr int most_halvings = 60;

// Gives every variable of a block the largest figure in it.
void level(const SetShape& shape, Vector& figures) {
  for (const auto& block : shape.blocks) {
    double largest = 0;
    for (const Index j : block) largest = std::max(largest, figures[j]);
    for (const Index j : block) figures[j] = largest;
  }
}

// f(row, column, |coefficient|) for every coefficient that is not 0.
template <class Visit>
void for_each_entry(const SparseRows& matrix, const Visit& visit) {
  for (Index i = 0; i < matrix.rows(); ++i)
    for (SparseRows::InnerIterator it(matrix, i); it; ++it)
      if (it.value() != 0) visit(i, it.col(), std::abs(it.value()));
}

// E: what the change of the gradient between o and x is worth.
double bending(const ProblemScales& known, const Vector& x, const Evaluation& at) {
  const Vector change = (at.gradient - known.at_origin.gradient).cwiseAbs().cast<double>();
  return change.dot((x - known.origin).cwiseAbs());
}

double value_change(const ProblemScales& known, const Evaluation& at) {
  return static_cast<double>(std::abs(at.varying - known.at_origin.varying));
}

// sqrt(E H_j). Where the objective does not tell H, its gradients at o and at x do. But a variable that has
// hardly moved while others bend its slope is not that much curved, and one that f does not depend on tells
// nothing: then E / |x - o|, what f bends on the way.
Vector by_curvature(const ProblemScales& known, const Vector& x, const Evaluation& at, double bent) {
  if (known.curvature.size()) return std::sqrt(bent) * known.curvature.cwiseSqrt();
  const double way = known.has_origin ? (x - known.origin).stableNorm() : 0;
  if (!(way > 0)) return Vector::Zero(x.size());
  Vector out = Vector::Constant(x.size(), bent / way);
  for (Index j = 0; j < x.size(); ++j) {
    const auto change = static_cast<double>(std::abs(at.gradient[j] - known.at_origin.gradient[j]));
    const double moved = std::abs(x[j] - known.origin[j]);
    if (change > 0) out[j] = std::min(out[j], std::sqrt(bent) * std::sqrt(change / moved));
  }
  return out;
}

}  // namespace

Activity activity_of(const SparseRows& matrix, const Vector& x) {
  Activity out(matrix.rows());
  for (Index i = 0; i < matrix.rows(); ++i) {
    ExactSum sum;
    for (SparseRows::InnerIterator it(matrix, i); it; ++it) sum.add(it.value(), x[it.col()]);
    out[i] = sum.value();
  }
  return out;
}

Vector natural_multipliers(const SparseRows& matrix, const Vector& cost) {
  Vector price = cost, out = Vector::Constant(matrix.rows(), infinity);
  for_each_entry(matrix, [&](Index i, Index j, double a) {
    if (price[j] > 0) out[i] = std::min(out[i], price[j] / a);
  });
  std::vector<Index> priced, reached;  // in the last wave
  for (Index i = 0; i < matrix.rows(); ++i)
    if (is_finite(out[i])) priced.push_back(i);
  const bool all_priced = static_cast<Index>(priced.size()) == matrix.rows();
  const SparseColumns columns = all_priced ? SparseColumns() : SparseColumns(matrix);
  Vector spread = Vector::Zero(price.size());
  while (!all_priced && !priced.empty()) {
    reached.clear();
    for (const Index i : priced)
      for (SparseRows::InnerIterator it(matrix, i); it; ++it) {
        const double paid = std::abs(it.value()) * out[i];
        if (price[it.col()] > 0 || !(paid > 0)) continue;
        if (spread[it.col()] == 0) reached.push_back(it.col());
        spread[it.col()] = std::max(spread[it.col()], paid);
      }
    for (const Index j : reached) price[j] = spread[j];
    priced.clear();
    std::vector<std::pair<Index, double>> offers;
    for (const Index j : reached)
      for (SparseColumns::InnerIterator it(columns, j); it; ++it)
        if (it.value() != 0 && !is_finite(out[it.row()]))
          offers.emplace_back(it.row(), price[j] / std::abs(it.value()));
    for (const auto& [i, offer] : offers) {
      if (!is_finite(out[i])) priced.push_back(i);
      out[i] = std::min(out[i], offer);
    }
  }
  return out;
}

ProblemScales ProblemScales::of(const Problem& problem, Index batch, std::uint64_t seed) {
  ProblemScales out;
  out.origin = Vector::Zero(problem.dimension());
  problem.set().project(out.origin);
  out.at_origin = evaluate(problem.objective(), out.origin, batch, seed);
  out.has_origin = out.origin.allFinite() && out.at_origin.has_gradient();
  out.curvature = problem.objective().curvature_diagonal().value_or(Vector());
  if (!out.curvature.allFinite()) out.curvature.setZero();
  return out;
}

std::optional<ProblemScales> ProblemScales::away_from_poles(const AnyObjective& objective, const Vector& x,
                                                            const Evaluation& at, Index batch,
                                                            std::uint64_t seed, Index& gradients) const {
  std::optional<ProblemScales> out;
  if (!has_origin || objective.as_quadratic() || objective.as_linear_model()) return out;  // have no poles
  for (int k = 0; k < most_halvings; ++k) {
    const ProblemScales& now = out ? *out : *this;
    const double bent = bending(now, x, at), change = value_change(now, at);
    if (!(bent > suspicious * change)) return out;  // also where f has no values
    ProblemScales half;
    half.origin = 0.5 * (now.origin + x);
    half.at_origin = evaluate(objective, half.origin, batch, seed);
    half.has_origin = true;
    half.curvature = curvature;
    gradients += half.at_origin.gradients;
    if (!half.at_origin.has_gradient() || !(4 * suspicious * bending(half, x, at) < bent)) return out;
    out = std::move(half);
  }
  return out;
}

PointScales::PointScales(const Problem& problem, const SetShape& shape, const ProblemScales& known,
                         const Vector& x, const Evaluation& at, const Activity& activity)
    : rows_(problem.rows()), curvature_(known.curvature) {
  measure_rows(x, activity, shape.reach);
  level(shape, size_);
  row_could_be_ = Vector::Zero(rows_.count());
  for_each_entry(rows_.matrix, [&](Index i, Index j, double a) {
    row_could_be_[i] = std::max(row_could_be_[i], a * size_[j]);
  });

  Vector gradient = at.gradient.cwiseAbs().cast<double>();  // G
  double bent = 0, drop = 0;
  if (known.has_origin) {
    gradient = gradient.cwiseMax(known.at_origin.gradient.cwiseAbs().cast<double>());
    bent = bending(known, x, at);
    if (std::isfinite(at.value) && std::isfinite(known.at_origin.value)) drop = value_change(known, at);
  }
  least_worth_ = std::max({drop, bent, rounding_of_worth * gradient.dot(x.cwiseAbs())});
  stationarity_ = gradient.cwiseMax(by_curvature(known, x, at, bent));
  row_price_ = natural_multipliers(rows_.matrix, gradient);
  price_what_costs_nothing(gradient);
  for (double& y : row_price_)
    if (!is_finite(y)) y = 0;
  level(shape, stationarity_);
}

// R_i, and the size of each variable: by the tightest of its rows that add up something, and no more than X
// lets it have.
void PointScales::measure_rows(const Vector& x, const Activity& activity, const Vector& reach) {
  const Index m = rows_.count();
  row_sum_ = Vector::Zero(m);
  for_each_entry(rows_.matrix, [&](Index i, Index j, double a) { row_sum_[i] += a * std::abs(x[j]); });
  Vector magnitude = row_sum_, most = x.cwiseAbs(), could_be = Vector::Zero(m);
  for (Index i = 0; i < m; ++i) {
    if (activity[i] < rows_.lower[i]) magnitude[i] = std::max(magnitude[i], std::abs(rows_.lower[i]));
    if (activity[i] > rows_.upper[i]) magnitude[i] = std::max(magnitude[i], std::abs(rows_.upper[i]));
  }
  for_each_entry(rows_.matrix,
                 [&](Index i, Index j, double a) { most[j] = std::max(most[j], magnitude[i] / a); });
  const auto within_reach = [&](Index j, double size) {
    return reach[j] > 0 ? std::max(std::abs(x[j]), std::min(size, reach[j])) : size;
  };
  for (Index j = 0; j < x.size(); ++j) most[j] = within_reach(j, most[j]);
  for_each_entry(rows_.matrix,
                 [&](Index i, Index j, double a) { could_be[i] = std::max(could_be[i], a * most[j]); });
  size_ = Vector::Constant(x.size(), infinity);
  in_rows_.assign(static_cast<std::size_t>(x.size()), false);
  for_each_entry(rows_.matrix, [&](Index i, Index j, double a) {
    in_rows_[static_cast<std::size_t>(j)] = true;
    if (magnitude[i] > empty_handed * could_be[i]) size_[j] = std::min(size_[j], magnitude[i] / a);
  });
  for (Index j = 0; j < x.size(); ++j)
    size_[j] = is_finite(size_[j]) ? within_reach(j, size_[j]) : std::abs(x[j]);
}

// D_j of a variable without a cost: what the cheapest way over three rows at most pays for it, or where it is
// farther from all costs, its cheapest row.
void PointScales::price_what_costs_nothing(const Vector& gradient) {
  if ((stationarity_.array() > 0).all()) return;
  Vector cheapest = (gradient.array() > 0).select(gradient, infinity);
  for (int row = 0; row < most_rows_on_the_way; ++row) {
    Vector pays = Vector::Constant(rows_.count(), infinity);
    for_each_entry(rows_.matrix,
                   [&](Index i, Index j, double a) { pays[i] = std::min(pays[i], cheapest[j] / a); });
    for_each_entry(rows_.matrix, [&](Index i, Index j, double a) {
      if (gradient[j] == 0) cheapest[j] = std::min(cheapest[j], pays[i] * a);
    });
  }
  Vector by_rows = Vector::Constant(gradient.size(), infinity);
  for_each_entry(rows_.matrix,
                 [&](Index i, Index j, double a) { by_rows[j] = std::min(by_rows[j], row_price_[i] * a); });
  for (Index j = 0; j < gradient.size(); ++j) {
    const double found = is_finite(cheapest[j]) ? cheapest[j] : by_rows[j];
    if (stationarity_[j] == 0 && is_finite(found)) stationarity_[j] = found;
  }
}

double PointScales::worth(const Vector& y) const {
  double out = 0;
  for (Index i = 0; i < y.size(); ++i) {
    if (y[i] == 0) continue;
    const double bound = y[i] > 0 ? rows_.upper[i] : rows_.lower[i];
    if (is_finite(bound))
      out += std::min(std::abs(y[i]), row_price_[i]) *
             std::max(std::abs(bound), rounding_of_worth * row_sum_[i]);
  }
  return std::max(least_worth_, out);
}

bool PointScales::finite() const {
  return std::isfinite(least_worth_) && stationarity_.allFinite() && size_.allFinite() &&
         row_sum_.allFinite() && row_could_be_.allFinite() && row_price_.allFinite();
}

}  // namespace bridle
