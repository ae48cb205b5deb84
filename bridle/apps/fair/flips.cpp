#include "bridle/apps/fair/flips.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

namespace bridle {
namespace {

constexpr double furthest = 3;      // in Newton steps
constexpr double near_bound = 0.1;  // of a row's unit: rows this near to a bound are kept from crossing it
constexpr double further_inside = 0.02;  // of a row's unit, more with every direction
constexpr double least_narrowing = 0.1;
constexpr double regular = 1e-3;    // of the rows' Gram matrix
constexpr double together = 1e-12;  // decisions that flip within this length flip as one

struct Flip {
  double length;
  Index person;
};

// Towards `inside` of the bounds for rows beyond them, and no change of rows near them.
Vector newton_direction(const Cells& cells, const std::vector<RateRow>& rows, const SmoothedRows& smoothed,
                        const Vector& selected, double inside, Index first_linear) {
  const Vector values = values_of(rows, rates_of(cells, selected));
  std::vector<Index> near;
  std::vector<double> change;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto at = static_cast<Index>(r);
    const double value = values[at], unit = rows[r].unit;
    if (value < rows[r].upper - near_bound * unit && value > rows[r].lower + near_bound * unit) continue;
    near.push_back(at);
    const double lower = rows[r].lower + inside * unit, upper = rows[r].upper - inside * unit;
    change.push_back(value > upper ? upper - value : value < lower ? lower - value : 0.0);
  }
  const auto count = static_cast<Index>(near.size());
  Matrix active = smoothed.jacobian(near, Eigen::all);
  active.leftCols(first_linear).setZero();
  Matrix gram = active * active.transpose();
  const double size = gram.diagonal().maxCoeff();
  if (!(size > 0)) return Vector::Zero(active.cols());
  gram.diagonal() *= 1 + regular;
  gram.diagonal().array() += 1e-9 * size;
  return active.transpose() * gram.ldlt().solve(Eigen::Map<const Vector>(change.data(), count));
}

}  // namespace

Stop first_stop(const Cells& cells, const std::vector<RateRow>& rows, const Vector& scores,
                const Vector& change, double most) {
  std::vector<Flip> flips;
  for (Index i = 0; i < scores.size(); ++i) {
    if (change[i] == 0) continue;
    const double length = -scores[i] / change[i];
    if (length >= 0 && length < most) flips.push_back({length, i});
  }
  std::sort(flips.begin(), flips.end(), [](const Flip& a, const Flip& b) {
    return a.length < b.length || (a.length == b.length && a.person < b.person);
  });
  Vector selected = cells.selected(scores);
  Stop best{0, largest_excess(rows, cells, selected)};
  for (std::size_t k = 0; k < flips.size() && best.excess > 0; ++k) {
    const Index i = flips[k].person;
    // Whoever stands at 0 is not selected; behind the flip the sign is that of the change.
    const bool before = scores[i] > 0, after = change[i] > 0;
    if (before != after)
      for (std::size_t a = 0; a < cells.attributes(); ++a)
        if (const auto cell = cells.of(a)[static_cast<std::size_t>(i)]; cell >= 0)
          selected[cell] += after ? 1 : -1;
    const double next = k + 1 < flips.size() ? flips[k + 1].length : most;
    if (next - flips[k].length < together) continue;
    const double worst = largest_excess(rows, cells, selected);
    if (worst < best.excess) best = {0.5 * (flips[k].length + next), worst};
  }
  return best;
}

Walk walk_to_bounds(const Cells& cells, const std::vector<RateRow>& rows, const Scorer& scorer,
                    const Vector& start, double width, int most) {
  Walk out{start, 0, 0, 0};
  Vector scores = scorer.scores(start);
  out.excess = largest_excess(rows, cells, cells.selected(scores));
  Walk best = out;
  double narrowing = 1;  // a direction that leads nowhere is looked for again with more smoothing
  while (out.excess > 0 && out.directions < most) {
    const Slopes slopes = slopes_of(cells, scores, narrowing * width);
    const SmoothedRows smoothed = smoothed_rows(cells, rows, slopes, scorer, out.w, scores);
    const Vector direction = newton_direction(cells, rows, smoothed, cells.selected(scores),
                                              further_inside * out.directions, scorer.first_linear_weight());
    if (direction.isZero(0) || !direction.allFinite()) break;
    // In the weights that move scores are linear.
    const Vector change = scorer.scores(out.w + direction) - scores;
    const Stop stop = first_stop(cells, rows, scores, change, furthest);
    ++out.directions;
    narrowing = stop.length > 0 ? 1 : narrowing > least_narrowing ? narrowing / 2 : 1;
    out.w += stop.length * direction;
    scores = scorer.scores(out.w);
    out.excess = largest_excess(rows, cells, cells.selected(scores));
    if (out.excess < best.excess) best = out;
  }
  best.directions = out.directions;
  best.distance = (best.w - start).norm();
  return best;
}

}  // namespace bridle
