#include "bridle/certify/stationarity.hpp"

#include <cmath>
#include <optional>
#include <vector>

#include "bridle/problem/objectives/quadratic.hpp"

namespace bridle {
namespace {

constexpr double tie = 1e-12;               // figures that are equal but for rounding
constexpr double rounding_of_block = 1e-8;  // of its worth
constexpr int steps_of_a_fall = 4;
constexpr double cancelled = 1e-15;  // of its terms: nothing that a step could go by is left of a curvature

// grad f + A'y, every entry; multipliers may cancel each other down to the rounding of doubles.
WideVector push_of(const WideVector& gradient, const SparseRows& matrix, const Vector& y) {
  WideVector out = gradient;
  for (Index i = 0; i < matrix.rows(); ++i)
    if (y[i] != 0)
      for (SparseRows::InnerIterator it(matrix, i); it; ++it)
        out[it.col()] += static_cast<long double>(it.value()) * y[i];
  return out;
}

// sum_i |a_ij y_i| for every column.
Vector absolute_pull(const SparseRows& matrix, const Vector& y) {
  Vector out = Vector::Zero(matrix.cols());
  for (Index i = 0; i < matrix.rows(); ++i)
    if (y[i] != 0)
      for (SparseRows::InnerIterator it(matrix, i); it; ++it) out[it.col()] += std::abs(it.value() * y[i]);
  return out;
}

// Which variables X ties together.
std::vector<bool> tied(const SetShape& shape, Index n) {
  std::vector<bool> out(static_cast<std::size_t>(n), false);
  for (const auto& block : shape.blocks)
    for (const Index j : block) out[static_cast<std::size_t>(j)] = true;
  return out;
}

}  // namespace

StationarityMeasure::StationarityMeasure(const Problem& problem, const SetShape& shape, const Bounds& left,
                                         const PointScales& scales, const Vector& x, const Activity& activity,
                                         const WideVector& gradient, bool convex)
    : problem_(problem),
      shape_(shape),
      left_(left),
      scales_(scales),
      x_(x),
      activity_(activity),
      gradient_(gradient),
      convex_(convex) {
  if (convex) fall_ = free_fall();
}

double StationarityMeasure::bound(Index i, double y) const {
  return y > 0 ? problem_.rows().upper[i] : problem_.rows().lower[i];
}
double StationarityMeasure::way(Index i, double y) const {
  return static_cast<double>(y > 0 ? bound(i, y) - activity_[i] : activity_[i] - bound(i, y));
}
double StationarityMeasure::gap(Index i, double y) const {
  return problem_.rows().is_equality(i) ? 0 : std::max(0.0, way(i, y));
}

// What it costs to keep each multiplier: the gap, and what the distance to the bound is worth.
Vector StationarityMeasure::charges(const Vector& y, double worth, bool absolute) const {
  Vector out = Vector::Zero(y.size());
  for (Index i = 0; i < y.size(); ++i) {
    if (y[i] == 0) continue;
    const double b = bound(i, y[i]);
    if (!is_finite(b))
      out[i] = infinity;
    else if (absolute)
      out[i] = gap(i, y[i]);
    else
      out[i] = std::max(ratio(gap(i, y[i]), scales_.row(i, b)), ratio(std::abs(y[i] * way(i, y[i])), worth));
  }
  return out;
}

void StationarityMeasure::fill(const Vector& y, Certificate& out) const {
  const Certificate empty = out;
  double smallest = choose(y, out);
  for (Vector tried = y; out.multipliers != tried;) {
    tried = out.multipliers;
    Certificate again = empty;
    const double error = choose(tried, again);
    if (!(error < smallest)) return;
    smallest = error;
    out = std::move(again);
  }
}

double StationarityMeasure::choose(const Vector& y, Certificate& out) const {
  const Rows& rows = problem_.rows();
  const Vector charge = charges(y, scales_.worth(y), out.absolute);
  Certificate best = out;
  std::optional<Vector> kept_before;
  double smallest = infinity;
  const auto attempt = [&](const auto& keep) {
    Vector kept = y;
    for (Index i = 0; i < y.size(); ++i)
      if (!keep(i)) kept[i] = 0;
    if (kept_before && kept == *kept_before) return;
    kept_before = kept;
    Certificate tried = out;
    evaluate(kept, tried);
    double error = 0;
    for (const Figure* figure : {&tried.stationarity, &tried.complementarity, &tried.gap})
      if (!(tried.of(*figure) <= error)) error = tried.of(*figure);
    if (error < smallest || smallest == infinity) {
      smallest = std::isnan(error) ? infinity : error;
      best = std::move(tried);
    }
  };
  attempt([](Index) { return false; });
  attempt([&](Index i) { return rows.is_equality(i); });
  attempt([&](Index i) { return rows.is_equality(i) || charge[i] == 0; });
  for (int power = -16; power <= 0; ++power)
    attempt([&](Index i) { return rows.is_equality(i) || charge[i] <= std::pow(10.0, power); });
  attempt([&](Index i) { return rows.is_equality(i) || charge[i] < infinity; });
  out = std::move(best);
  return smallest;
}

void StationarityMeasure::evaluate(const Vector& y, Certificate& out) const {
  const Rows& rows = problem_.rows();
  const WideVector push = push_of(gradient_, rows.matrix, y);
  const Vector pulls = absolute_pull(rows.matrix, y);
  const double worth = scales_.worth(y);
  out.multipliers = y;
  out.stationarity = out.complementarity = out.gap = {0, 0};
  out.stationarity_over_multipliers = 0;

  double slack_worth = 0;
  long double residual_worth = 0;
  const auto take = [&](const Share& share, Index name) {
    out.stationarity.raise(share.absolute, share.relative,
                           problem_.variable_names()[static_cast<std::size_t>(name)]);
    out.stationarity_over_multipliers = std::max(out.stationarity_over_multipliers, share.over_multipliers);
    slack_worth += share.slack_worth;
    residual_worth += share.residual_worth;
  };
  const Vector rounded_push = push.cast<double>();
  const std::vector<bool> in_block = tied(shape_, x_.size());
  for (const auto& indices : shape_.blocks) {
    double largest_pull = 0;
    for (const Index j : indices) largest_pull = std::max(largest_pull, pulls[j]);
    if (!indices.empty()) take(block(indices, rounded_push, largest_pull, worth), indices.front());
  }
  for (Index j = 0; j < x_.size(); ++j)
    if (!in_block[static_cast<std::size_t>(j)]) take(single(j, push[j], pulls[j], worth), j);

  const Vector charge = charges(y, worth, false);
  double row_worth = 0;
  for (Index i = 0; i < y.size(); ++i) {
    if (y[i] == 0) continue;
    out.complementarity.raise(gap(i, y[i]), charge[i], rows.names[static_cast<std::size_t>(i)]);
    row_worth += std::abs(y[i] * way(i, y[i]));
  }
  if (convex_) {
    out.gap.absolute =
        std::max(fall_, row_worth + slack_worth + std::abs(static_cast<double>(residual_worth)));
    out.gap.relative = ratio(out.gap.absolute, worth);
  }
}

// D_j knows one variable at a time, and a valley may be flat where all of its variables bend. For a quadratic
// some steps of conjugate gradients tell, over the variables that no row has and no bound stops: a point as
// good as x, where f is lower by so much.
double StationarityMeasure::free_fall() const {
  const Quadratic* quadratic = problem_.objective().as_quadratic();
  if (!quadratic) return 0;
  const std::vector<bool> in_block = tied(shape_, x_.size());
  WideVector unit = WideVector::Zero(x_.size());  // 1 / D_j^2 where a variable may move
  for (Index j = 0; j < x_.size(); ++j) {
    const bool bounded = is_finite(shape_.bounds.lower[j]) || is_finite(shape_.bounds.upper[j]);
    const long double scale = scales_.stationarity()[j];
    if (scale > 0 && !bounded && !scales_.in_rows(j) && !in_block[static_cast<std::size_t>(j)])
      unit[j] = 1 / (scale * scale);
  }
  WideVector residual = -gradient_, step = residual.cwiseProduct(unit);
  long double size = residual.dot(step), fall = 0;
  for (int k = 0; k < steps_of_a_fall && size > 0; ++k) {
    const Vector direction = step.cast<double>();
    const WideVector bends = with_product(Vector::Zero(x_.size()), *quadratic, direction);
    long double bend = 0, bend_size = 0;
    for (Index j = 0; j < x_.size(); ++j) {
      bend += direction[j] * bends[j];
      bend_size += std::abs(direction[j] * bends[j]);
    }
    if (!std::isfinite(bend_size) || !(size < infinity) || !(bend > cancelled * bend_size)) break;
    fall += size * size / (2 * bend);
    residual -= size / bend * bends;
    const WideVector next = residual.cwiseProduct(unit);
    const long double left = residual.dot(next);
    step = next + left / size * step;
    size = left;
  }
  return static_cast<double>(fall);
}

// min(gap, push), each over its scale; a gap also counts with what it is worth.
StationarityMeasure::Share StationarityMeasure::single(Index j, long double exact_push, double multipliers,
                                                       double worth) const {
  const double x = x_[j], scale = scales_.stationarity()[j];
  const auto push = static_cast<double>(exact_push);
  const double bound = push > 0 ? shape_.bounds.lower[j] : shape_.bounds.upper[j];
  const double by_push = push == 0 ? 0 : scale > 0 ? std::abs(push) / scale : 1;
  const double wide = std::max(scale, multipliers);
  Share out{by_push, std::abs(push), push == 0 ? 0 : wide > 0 ? std::abs(push) / wide : 1};
  if (push != 0 && is_finite(bound)) {
    const double gap = std::max(0.0, push > 0 ? x - bound : bound - x);
    const long double its_worth = std::abs(exact_push * (x - bound));  // doubles underflow at 1e-308
    const double by_length =
        bound == 0 && !scales_.in_rows(j) ? 0 : ratio(gap, scales_.variable(j, bound, x));
    const double by_worth = its_worth == 0 ? 0 : static_cast<double>(its_worth / worth);
    const double by_gap = std::max(by_length, by_worth);
    out.absolute = std::min(out.absolute, gap);
    out.over_multipliers = std::min(out.over_multipliers, by_gap);
    if (by_gap < (1 - tie) * by_push) {
      out.relative = by_gap;
      out.slack_worth = static_cast<double>(its_worth);
      return out;
    }
  }
  // A push may be small beside D_j and yet be worth much all the way that is left, where f is straight.
  const double end = push > 0 ? left_.lower[j] : left_.upper[j];
  if (push != 0 && is_finite(end) && !scales_.bends(j))
    out.slack_worth = static_cast<double>(std::abs(exact_push * (x - end)));
  else
    out.residual_worth = exact_push * x;
  return out;
}

// |x - P(x - length push)| over the block; target <- P(x - length push).
double StationarityMeasure::move(const std::vector<Index>& block, const Vector& push, double length,
                                 Vector& target) const {
  target = x_;
  for (const Index j : block) target[j] -= length * push[j];
  problem_.set().project(target);
  double largest = 0;
  for (const Index j : block) largest = std::max(largest, std::abs(target[j] - x_[j]));
  return largest;
}

StationarityMeasure::Share StationarityMeasure::block(const std::vector<Index>& indices, const Vector& push,
                                                      double multipliers, double worth) const {
  double largest_push = 0;
  for (const Index j : indices) largest_push = std::max(largest_push, std::abs(push[j]));
  const double scale = scales_.stationarity()[indices.front()], size = scales_.size(indices.front());
  if (largest_push == 0 && scale == 0) return {0, 0, 0};
  const double wide = std::max(scale, multipliers);
  Vector target;
  Share out{1, move(indices, push, 1, target), 1};
  if (scale == 0) return out;
  if (size == 0) {  // then x is 0 there: the directions into X decide
    Vector direction = Vector::Zero(x_.size());
    for (const Index j : indices) direction[j] = -push[j];
    problem_.set().project_tangent(x_, direction);
    out.relative = direction.lpNorm<Eigen::Infinity>() / scale;
    out.over_multipliers = direction.lpNorm<Eigen::Infinity>() / wide;
    return out;
  }
  const auto measure = [&](double unit) {
    const double figure = move(indices, push, size / unit, target) / size;
    out.slack_worth = out.residual_worth = 0;
    for (const Index j : indices) {
      const double residual = unit / size * (x_[j] - target[j]);                // q
      out.slack_worth += std::abs((residual - push[j]) * (target[j] - x_[j]));  // n (p - x)
      out.residual_worth += residual * x_[j];
    }
    return std::max(figure, ratio(out.slack_worth, std::max(worth, rounding_of_block * unit * size)));
  };
  out.over_multipliers = measure(wide);
  out.relative = measure(scale);
  return out;
}

}  // namespace bridle
