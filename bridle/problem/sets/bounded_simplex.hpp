// Shares with bounds of their own, { l <= x <= u, sum x = total }: no asset above a tenth of a portfolio.
#pragma once

#include <algorithm>
#include <cmath>

#include "bridle/core/scratch.hpp"
#include "bridle/problem/set.hpp"
#include "bridle/problem/sets/check.hpp"

namespace bridle {

namespace detail {

// Where a variable stops to be at its upper bound, or comes to its lower one, as a common shift grows.
struct ShiftEvent {
  double shift;
  Index variable;
  bool lower;
};

// The theta with sum_j min(max(v_j - theta, l_j), u_j) = total, which falls as theta grows: along its
// corners. There must be one.
inline double common_shift(ConstVectorRef v, ConstVectorRef l, ConstVectorRef u, double total) {
  Scratch<ShiftEvent> memory(2 * v.size());
  Index count = 0, moving = 0;
  double sum = 0;  // of bounds that hold, and of v where none does
  for (Index j = 0; j < v.size(); ++j) {
    const bool free = u[j] == infinity;
    sum += free ? v[j] : u[j];
    moving += free;
    if (!free) memory[count++] = {v[j] - u[j], j, false};
    if (l[j] != -infinity) memory[count++] = {v[j] - l[j], j, true};
  }
  const auto events = memory.first(count);
  std::sort(events.begin(), events.end(), [](const ShiftEvent& a, const ShiftEvent& b) {
    return a.shift != b.shift ? a.shift < b.shift : a.lower < b.lower;
  });
  double last = 0;
  for (const ShiftEvent& event : events) {
    last = event.shift;
    if (sum - static_cast<double>(moving) * event.shift <= total) break;
    sum += event.lower ? l[event.variable] - v[event.variable] : v[event.variable] - u[event.variable];
    moving += event.lower ? -1 : 1;
  }
  return moving > 0 ? (sum - total) / static_cast<double>(moving) : last;
}

// v <- the nearest point of { l <= x <= u, sum x = total }; what is clipped is exactly at its bound.
inline void project_onto_shares(VectorRef v, ConstVectorRef l, ConstVectorRef u, double total) {
  if (!v.allFinite()) return;  // whoever looks for a blow-up will find it
  // The second time without the rounding of sums that may be far larger than `total`.
  for (int time = 0; time < 2; ++time) v.array() -= common_shift(v, l, u, total);
  v = v.cwiseMax(l).cwiseMin(u);
}

}  // namespace detail

class BoundedSimplex {
 public:
  BoundedSimplex(Vector lower, Vector upper, double total = 1)
      : lower_(std::move(lower)), upper_(std::move(upper)), total_(total) {
    const char* const name = "simplex with bounds";
    detail::checked_dimension(name, lower_.size());
    detail::checked_positive(name, "total", total);
    if (upper_.size() != lower_.size())
      throw InputError("simplex with bounds: " + std::to_string(lower_.size()) + " lower bounds but " +
                       std::to_string(upper_.size()) + " upper ones");
    lower_ = lower_.cwiseMax(0.0);
    upper_ = upper_.cwiseMin(total);
    for (Index j = 0; j < lower_.size(); ++j)
      if (!(lower_[j] <= upper_[j]))
        throw InputError("simplex with bounds: bounds " + detail::text(lower_[j]) + " and " +
                         detail::text(upper_[j]) + " leave no number for a part of " + detail::text(total));
    const double least = lower_.sum(), most = upper_.sum(), rounding = 1e-9 * total;
    if (least > total + rounding || most < total - rounding)
      throw InputError("simplex with bounds: the " +
                       std::string(least > total ? "lower bounds sum to " + detail::text(least)
                                                 : "upper bounds sum to " + detail::text(most)) +
                       ", the variables must sum to " + detail::text(total));
  }

  Index dimension() const { return lower_.size(); }

  void project(VectorRef x) const { detail::project_onto_shares(x, lower_, upper_, total_); }

  // T = { d : sum d = 0, d_j >= 0 where x_j = l_j, d_j <= 0 where x_j = u_j }.
  void project_tangent(ConstVectorRef x, VectorRef direction) const {
    detail::Scratch<double> low_memory(x.size()), high_memory(x.size());
    Eigen::Map<Vector> low = low_memory.vector(), high = high_memory.vector();
    const double near = active_tolerance * total_;
    for (Index j = 0; j < x.size(); ++j) {
      low[j] = x[j] <= lower_[j] + near ? 0 : -infinity;
      high[j] = x[j] >= upper_[j] - near ? 0 : infinity;
    }
    detail::project_onto_shares(direction, low, high, 0);
  }

  void make_admissible(VectorRef scale) const { detail::set_to_geometric_mean(scale); }

  BoundedSimplex scaled(ConstVectorRef scale) const {
    const double factor = detail::common_factor("simplex with bounds", scale);
    return {lower_ / factor, upper_ / factor, total_ / factor};
  }

  LinearDescription description() const {
    LinearDescription out = LinearDescription::of_rows(
        Matrix::Ones(1, dimension()), Vector::Constant(1, total_), Vector::Constant(1, total_));
    out.bounds.lower = lower_;
    out.bounds.upper = upper_;
    return out;
  }

 private:
  Vector lower_, upper_;
  double total_;
};

}  // namespace bridle
