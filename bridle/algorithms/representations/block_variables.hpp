// The variables of a linear model that are moved one by one in every step, with bounds, ridge and rows
// (split.hpp): plain vectors, a vector register at a time.
#pragma once

#include "bridle/algorithms/iterate.hpp"
#include "bridle/algorithms/representations/lazy_coordinates.hpp"
#include "bridle/algorithms/representations/split.hpp"
#include "bridle/core/lane_vector.hpp"
#include "bridle/params/parameters.hpp"

namespace bridle {

class BlockVariables {
 public:
  BlockVariables(const StandardForm& form, const ModeClasses& classes, const Bounds& bounds,
                 const Split& split);

  void read_in(const Iterate& from);
  void write_out(Iterate& to) const;

  // The block's share in a_i'x, for the sample's entries in it.
  [[gnu::always_inline]] double product(const PackedRow& entries) const {
    double sum = 0;
    for (Index e = 0; e < entries.count; ++e) sum += entries.values[e] * x_[entries.column(e)];
    return sum;
  }
  // The step to come has slope a_i in its direction.
  [[gnu::always_inline]] void add_sample(double slope, const PackedRow& entries) {
    for (Index e = 0; e < entries.count; ++e) direction_[entries.column(e)] += slope * entries.values[e];
  }
  // x <- proj(x - tau (direction + ridge x + A'w + mu (x - z)));  z <- z + beta (x_old - z)
  void move(const Parameters& p, const LaneVector& weight);
  // out += the block's share in A x, for all rows
  void add_activity(double* out) const;

 private:
  // Short rows entry by entry, those with many entries in the block as vectors over it.
  struct ShortRow {
    Index row, begin, end;
  };
  std::vector<Index> variables_;
  std::vector<ShortRow> short_rows_;
  std::vector<std::int32_t> places_;
  std::vector<double> values_;
  std::vector<Index> long_rows_;
  std::vector<LaneVector> long_values_;
  LaneVector x_, z_, direction_, ridge_, lower_, upper_;
};

}  // namespace bridle
