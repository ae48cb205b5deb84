#include "bridle/second/line_search.hpp"

#include <algorithm>
#include <cmath>

namespace bridle::second {
namespace {

constexpr int most_trials = 30;
constexpr double enough = 1e-4;  // of the decrease that the slope promises

Vector point_at(const Region& region, const Vector& x, const Vector& d, double length) {
  return (x + length * d).cwiseMax(region.lower).cwiseMin(region.upper);
}

}  // namespace

void Trust::learn(double first, double length, double moved) {
  if (length == first && first < 1)
    radius_ *= 2;
  else if (length < first)
    radius_ = std::max(0.25, 2 * length * moved);
}

std::optional<LinePoint> search_line(const Region& region, Landscape& landscape, const Vector& x,
                                     const Vector& d, double slope, double first, double rounding,
                                     Work& work) {
  const double before = landscape.value();
  double length = first;
  for (int trial = 0; trial < most_trials && !work.stopped(); ++trial, length *= 0.5) {
    Vector point = point_at(region, x, d, length);
    const double value = landscape.value_at(length, point);
    if (value <= before + enough * length * slope) return LinePoint{length, value, std::move(point)};
    if (value <= before + rounding && landscape.slope_at(length, point) <= -(1 - 2 * enough) * slope)
      return LinePoint{length, value, std::move(point)};
  }
  return std::nullopt;
}

std::optional<LinePoint> leave_along(const Region& region, Landscape& landscape, const Vector& x,
                                     const Vector& d, double curvature, double longest, double rounding,
                                     Work& work) {
  const double before = landscape.value();
  double length = longest;
  for (int trial = 0; trial < most_trials && length > 0 && !work.stopped(); ++trial, length *= 0.5) {
    Vector point = point_at(region, x, d, length);
    const double value = landscape.value_at(length, point);
    if (value < before - rounding && value <= before + 0.1 * length * length * curvature)
      return LinePoint{length, value, std::move(point)};
  }
  return std::nullopt;
}

double longest_feasible(const Region& region, const Face& face, const Vector& x, const Vector& d) {
  double length = infinity;
  const auto limit = [&](Side side, double at, double change, double lower, double upper) {
    const double bound = change < 0 ? lower : upper;
    if (side == inside && change != 0 && is_finite(bound))
      length = std::min(length, std::max(0.0, (bound - at) / change));
  };
  for (Index j = 0; j < x.size(); ++j)
    limit(face.variables[static_cast<std::size_t>(j)], x[j], d[j], region.lower[j], region.upper[j]);
  const Vector activity = region.rows * x, change = region.rows * d;
  for (Index i = 0; i < activity.size(); ++i)
    limit(face.rows[static_cast<std::size_t>(i)], activity[i], change[i], region.row_lower[i],
          region.row_upper[i]);
  return length;
}

}  // namespace bridle::second
