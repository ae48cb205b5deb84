// The simplex { x >= 0, sum x = total }: shares, probabilities, portfolio weights.
#pragma once

#include <algorithm>

#include "bridle/core/scratch.hpp"
#include "bridle/problem/set.hpp"
#include "bridle/problem/sets/check.hpp"
#include "bridle/problem/sets/threshold.hpp"

namespace bridle {

namespace detail {
// x <- argmin { |v - x| : v >= 0, sum v = total }; what the projection clips is exactly 0.
inline void project_onto_simplex(VectorRef x, double total) {
  // A common shift changes nothing; this one keeps large inputs from drowning `total`. What lies `total`
  // below the largest entry is clipped for sure, and leaving it out (with any NaN) leaves less to sort.
  const double top = x.maxCoeff();
  x.array() -= top;
  Scratch<double> near(x.size());
  Index count = 0;
  for (Index j = 0; j < x.size(); ++j)
    if (x[j] > -total) near[count++] = x[j];
  const double theta = threshold(0, 0, near.first(count), total);
  for (Index j = 0; j < x.size(); ++j) x[j] = std::max(x[j] - theta, 0.0);
}
}  // namespace detail

class Simplex {
 public:
  explicit Simplex(Index dimension, double total = 1)
      : dimension_(detail::checked_dimension("simplex", dimension)),
        total_(detail::checked_positive("simplex", "total", total)) {}

  Index dimension() const { return dimension_; }
  double total() const { return total_; }

  void project(VectorRef x) const { detail::project_onto_simplex(x, total_); }

  // T = { d : sum d = 0, d_j >= 0 where x_j = 0 }.
  void project_tangent(ConstVectorRef x, VectorRef direction) const {
    double sum = 0;
    Index free_count = 0;
    for (Index j = 0; j < x.size(); ++j)
      if (!touched(x[j])) {
        sum += direction[j];
        ++free_count;
      }
    if (free_count == 0) {
      direction.setZero();
      return;
    }
    // A touched coordinate below the mean of the free ones stays clipped: others only raise the threshold.
    const double mean = sum / static_cast<double>(free_count);
    detail::Scratch<double> above(x.size());
    Index count = 0;
    for (Index j = 0; j < x.size(); ++j)
      if (touched(x[j]) && direction[j] > mean) above[count++] = direction[j];
    const double theta = detail::threshold(sum, free_count, above.first(count), 0);
    for (Index j = 0; j < x.size(); ++j) {
      direction[j] -= theta;
      if (touched(x[j])) direction[j] = std::max(direction[j], 0.0);
    }
  }

  double reach() const { return total_; }

  void make_admissible(VectorRef scale) const { detail::set_to_geometric_mean(scale); }

  Simplex scaled(ConstVectorRef scale) const {
    return Simplex(dimension_, total_ / detail::common_factor("simplex", scale));
  }

  LinearDescription description() const {
    LinearDescription out = LinearDescription::of_rows(
        Matrix::Ones(1, dimension_), Vector::Constant(1, total_), Vector::Constant(1, total_));
    out.bounds.lower.setZero();
    return out;
  }

 private:
  bool touched(double x) const { return x <= active_tolerance * total_; }

  Index dimension_;
  double total_;
};

}  // namespace bridle
