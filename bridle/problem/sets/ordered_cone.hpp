// The cone { x_1 <= x_2 <= ... <= x_n } of isotonic regression.
#pragma once

#include <algorithm>
#include <cmath>

#include "bridle/core/scratch.hpp"
#include "bridle/problem/set.hpp"
#include "bridle/problem/sets/check.hpp"

namespace bridle {

namespace detail {
// x <- the nearest nondecreasing sequence, by pooling adjacent violators: O(n). Pooled entries are exactly
// equal.
inline void project_onto_ordered(VectorRef x) {
  Scratch<double> means(x.size());
  Scratch<Index> sizes(x.size());
  Index pools = 0;
  for (Index j = 0; j < x.size(); ++j) {
    double mean = x[j];
    Index size = 1;
    for (; pools > 0 && means[pools - 1] >= mean; --pools) {
      size += sizes[pools - 1];
      mean += (means[pools - 1] - mean) * static_cast<double>(sizes[pools - 1]) / static_cast<double>(size);
    }
    means[pools] = mean;
    sizes[pools++] = size;
  }
  for (Index pool = 0, first = 0; pool < pools; first += sizes[pool++])
    x.segment(first, sizes[pool]).setConstant(means[pool]);
}
}  // namespace detail

class OrderedCone {
 public:
  explicit OrderedCone(Index dimension) : dimension_(detail::checked_dimension("ordered cone", dimension)) {}

  Index dimension() const { return dimension_; }

  void project(VectorRef x) const { detail::project_onto_ordered(x); }

  // T: within each run of equal entries of x the direction is nondecreasing.
  void project_tangent(ConstVectorRef x, VectorRef direction) const {
    for (Index first = 0, last; first < x.size(); first = last) {
      for (last = first + 1; last < x.size() && equal(x[last - 1], x[last]);) ++last;
      if (last - first > 1) detail::project_onto_ordered(direction.segment(first, last - first));
    }
  }

  void make_admissible(VectorRef scale) const { detail::set_to_geometric_mean(scale); }

  OrderedCone scaled(ConstVectorRef scale) const {
    detail::common_factor("ordered cone", scale);
    return *this;
  }

  LinearDescription description() const {
    LinearDescription out = LinearDescription::of_rows(Matrix(0, dimension_), Vector::Zero(dimension_ - 1),
                                                       Vector::Constant(dimension_ - 1, infinity));
    out.rows.resize(dimension_ - 1, dimension_);
    for (Index i = 0; i + 1 < dimension_; ++i) {
      out.rows.insert(i, i) = -1;
      out.rows.insert(i, i + 1) = 1;
    }
    return out;
  }

 private:
  static bool equal(double before, double after) {
    return after - before <= active_tolerance * std::max(std::abs(before), std::abs(after));
  }

  Index dimension_;
};

}  // namespace bridle
