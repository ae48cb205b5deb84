// The block's variables (split.hpp) and the rows that are in the block alone and have no variable in common,
// four rows at a time (group_plan.hpp): a step is one pass over them (group_pass.hpp). All other rows, the
// few that cross the groups and those outside the block, are `others`; they have a metric of their own and
// hear of the groups by sums.
#pragma once

#include <optional>
#include <vector>

#include "bridle/algorithms/iterate.hpp"
#include "bridle/algorithms/representations/group_pass.hpp"
#include "bridle/algorithms/representations/lazy_coordinates.hpp"
#include "bridle/core/lane_vector.hpp"
#include "bridle/params/parameters.hpp"

namespace bridle {

struct ArrowMetric;

class RowGroups {
 public:
  // Nothing where there is no block, or where too many rows would be others.
  static std::optional<RowGroups> of(const StandardForm& form, const ModeClasses& classes,
                                     const Split& split);

  const std::vector<Index>& others() const { return others_; }  // rows, ascending
  const Matrix& metric_of_others() const { return metric_; }
  // The split with places as `product` and `add_sample` take them.
  Split with_places(Split split) const;

  void read_in(const Iterate& from);
  void write_out(Iterate& to) const;  // with y and slacks of the groups' rows

  // The block's share in a_i'x, for the sample's entries in it.
  [[gnu::always_inline]] double product(const PackedRow& entries) const {
    const double* const words = words_.data();
    double sum = 0;
    for (Index e = 0; e < entries.count; ++e) sum += entries.values[e] * words[entries.column(e)];
    return sum;
  }
  // The step to come has slope a_i in its direction: x and z are moved to where the step without it leads to
  // the same x and z as the step with it does from where they are. (The pass then reads no direction.)
  [[gnu::always_inline]] void add_sample(double slope, const PackedRow& entries, const Parameters& p) {
    double* const words = words_.data();
    const double behind = p.beta / (1 - p.beta), kept = 1 - p.tau * p.mu * (1 + behind);
    for (Index e = 0; e < entries.count; ++e) {
      double* const x = words + entries.column(e);
      const double ridge = x[half_lanes * (GroupLayout::ridge - GroupLayout::x)];
      const double move = -p.tau * slope * entries.values[e] / (kept - p.tau * ridge);
      x[0] += move;
      x[half_lanes * (GroupLayout::z - GroupLayout::x)] -= behind * move;
    }
  }
  // A step, with q and w of the others.
  void move(const Parameters& p, const double* residual, const double* weight);
  // out[k] += what the groups add to the activity of row others()[k]: of their variables, and of their
  // residuals as the metric of the others sees them
  void add_activity(double* out) const;

 private:
  // A number of the iterate, and where it is in the words.
  struct Placed {
    Index of, at;
  };

  RowGroups() = default;
  void lay_out(const GroupPlan& plan);
  // What does not change in a run.
  void fill(const StandardForm& form, const ModeClasses& classes, const GroupPlan& plan,
            const ArrowMetric& metric);
  void fill_row(const StandardForm& form, Index row, Index at);
  void run_pass(const Parameters& p);

  std::vector<Index> others_, crossing_;  // crossing: places in others_
  Matrix metric_;
  std::vector<Placed> variables_, rows_,
      slacks_;  // x (z is half_lanes behind), y, and slacks (anchors behind)
  std::vector<GroupRun> runs_;
  LaneVector words_;
  std::vector<double> pulls_, weights_, products_;  // of the crossing rows
};

}  // namespace bridle
