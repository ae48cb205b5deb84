#include "bridle/second/region_projector.hpp"

#include <algorithm>
#include <cmath>

#include "bridle/second/face_space.hpp"

namespace bridle::second {
namespace {

constexpr int most_newton_steps = 60;
constexpr double settled = 1e-13, good_enough = 1e-9;  // of rows, relative

}  // namespace

bool RegionProjector::wrong_sign(Index i, double y, const Face& face) const {
  if (region_.equality(i)) return false;
  return face.rows[static_cast<std::size_t>(i)] == at_lower ? y > 0 : y < 0;
}

// The Newton step of the multipliers of the face's rows. Rows without a price that would be given one of the
// wrong sign are left out: together with the cut at 0 that makes every step a descent (Bertsekas).
Vector RegionProjector::newton_change(const Vector& metric, const Vector& off, const Vector& y,
                                      double held_share, Face& face) const {
  constexpr int most_tries = 3;
  Vector change;
  for (int k = 0; k < most_tries; ++k) {
    change = FaceSpace(region_, face, metric, held_share).dual_step(off);
    bool all_well = true;
    for (Index i = 0; i < y.size(); ++i) {
      Side& side = face.rows[static_cast<std::size_t>(i)];
      if (side == inside || y[i] != 0 || !wrong_sign(i, change[i], face)) continue;
      side = inside;
      all_well = false;
    }
    if (all_well) break;
  }
  return change;
}

// The dual function of the projection is concave, smooth and piecewise quadratic in y: Newton's method on the
// rows that are broken or priced, each multiplier kept to the sign of its bound.
bool RegionProjector::newton(const Vector& centre, const Vector& weight, Projection& out, Work& work) const {
  const Index m = region_.count();
  Vector& y = out.multipliers;
  const Vector metric = weight.cwiseInverse();
  Vector activity;
  const auto negative_dual = [&](const Vector& prices) {
    out.x = (centre - weight.cwiseProduct(region_.rows.transpose() * prices))
                .cwiseMax(region_.lower)
                .cwiseMin(region_.upper);
    activity = region_.rows * out.x;
    double value = 0;
    for (Index i = 0; i < m; ++i)
      if (prices[i] != 0)
        value += prices[i] * ((prices[i] > 0 ? region_.row_upper : region_.row_lower)[i] - activity[i]);
    const Vector moved = out.x - centre;
    return value - 0.5 * moved.dot(metric.cwiseProduct(moved));
  };
  const Vector row_sizes = region_.rows.cwiseAbs() * centre.cwiseAbs();
  double value = negative_dual(y);
  double worst = infinity;
  for (int k = 0; k < most_newton_steps && !work.stopped(); ++k) {
    Face face{std::vector<Side>(static_cast<std::size_t>(out.x.size()), inside),
              std::vector<Side>(static_cast<std::size_t>(m), inside)};
    Vector off = Vector::Zero(m);
    worst = 0;
    for (Index i = 0; i < m; ++i) {
      const bool over = activity[i] > region_.row_upper[i], under = activity[i] < region_.row_lower[i];
      if (y[i] == 0 && !over && !under) continue;
      const bool up = region_.equality(i) || y[i] > 0 || (y[i] == 0 && over);
      const double bound = up ? region_.row_upper[i] : region_.row_lower[i];
      face.rows[static_cast<std::size_t>(i)] = up ? at_upper : at_lower;
      off[i] = activity[i] - bound;
      worst = std::max(worst, std::abs(off[i]) / std::max({std::abs(bound), 1e-2 * row_sizes[i], 1e-300}));
    }
    if (worst <= settled) return true;
    for (Index j = 0; j < out.x.size(); ++j)
      if (out.x[j] <= region_.lower[j] || out.x[j] >= region_.upper[j])
        face.variables[static_cast<std::size_t>(j)] = at_lower;
    const Vector before = y;
    const double rounding = 1e-14 * std::abs(value) + 1e-15 * y.cwiseAbs().dot(row_sizes);
    bool lower = false;
    // Where many variables are at their bounds, rows depend on one another and the plain step is far too
    // long. With all variables in the metric it is a descent, if a short one.
    for (const double held_share : {0.0, 0.1, 1.0}) {
      Face held = face;
      const Vector change = newton_change(metric, off, before, held_share, held);
      if (!change.allFinite()) continue;
      for (double length = 1; length > (held_share == 1 ? 1e-6 : 0.2) && !lower; length *= 0.3) {
        y = before + length * change;
        for (Index i = 0; i < m; ++i)
          if (wrong_sign(i, y[i], held)) y[i] = 0;
        const double next = negative_dual(y);
        lower = next <= value + rounding;
        if (lower) value = next;
      }
      if (lower) break;
    }
    if (!lower) {
      y = before;
      negative_dual(y);
      break;
    }
  }
  return worst <= good_enough;
}

RegionProjector::Projection RegionProjector::project(const Vector& centre, const Vector& metric,
                                                     const Vector& first_multipliers, Work& work,
                                                     const Vector* near) {
  work.spent.projections += 1;
  Projection out;
  out.multipliers =
      first_multipliers.size() == region_.count() ? first_multipliers : Vector(Vector::Zero(region_.count()));
  out.exact = newton(centre, metric.cwiseInverse(), out, work);
  if (out.exact && out.x.allFinite()) return out;
  out.exact = false;
  if (work.stopped()) return out;
  if (!asked_) {
    asked_ = true;
    const LinearDescription box{
        {region_.lower, region_.upper}, SparseRows(0, region_.dimension()), Vector(0), Vector(0)};
    slow_ = FeasibleSet::of(box, region_.rows, region_.row_lower, region_.row_upper);
  }
  if (!slow_) return out;
  const auto found = slow_->project(centre, metric, near);
  if (!found.x.allFinite() || !found.multipliers.allFinite()) return out;
  out.x = found.x;
  out.multipliers = found.multipliers;
  region_.restore(out.x, metric.cwiseInverse());
  out.exact = region_.violation(out.x) <= 1e-12;
  return out;
}

}  // namespace bridle::second
