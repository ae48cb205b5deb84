// The iterate of Algorithm 1 for sparse linear models: a step costs the sample's nonzeros and m^2, however
// many variables there are.
//
// Without a sample x and z move by two modes u, v of one rate each (modes.hpp; variables of different ridges
// have different ones and are in classes), pushed along A'w by the rows.
// So u = phi_u uhat + A'e_u, v = phi_v vhat + A'e_v with scalars phi and e in R^m: uhat, vhat change on the
// sample's support only (lazy_point.hpp). With A a_i for every sample and A A' at hand (lazy_rows.hpp), a_i'x
// and A x follow in O(nnz + m^2). Variables that this cannot be said of are in a block that is moved as a
// whole in every step (split.hpp), in groups of rows that have no variable in common where most rows are of
// that kind (row_groups.hpp), else variable by variable and row by row (block_variables.hpp).
#pragma once

#include <optional>

#include "bridle/algorithms/representations/block_variables.hpp"
#include "bridle/algorithms/representations/lazy_point.hpp"
#include "bridle/algorithms/representations/lazy_rows.hpp"
#include "bridle/algorithms/representations/linear_iterate.hpp"
#include "bridle/algorithms/representations/packed_samples.hpp"
#include "bridle/algorithms/representations/row_groups.hpp"

namespace bridle {

class LazyIterate : public LinearIterate<LazyIterate> {
 public:
  // `draws`: how many the loop will make, as far as is known.
  LazyIterate(const StandardForm& form, const Iterate& start, const ModeClasses& classes, double draws);

  bool makes_ready() const { return samples_.few_at_a_time(); }
  void make_ready(std::span<const Sample> samples) { samples_.make_ready(samples); }
  bool expect_draws(double draws) { return samples_.expect_draws(draws); }
  void primal_and_smoothing_step(const Parameters& p);

 private:
  friend LinearIterate<LazyIterate>;
  using Point = LazyPoint<ModePair>;

  // Asks the memory for the variables of a sample that comes soon, for the row of a later one, and for where
  // the row of an even later one is.
  template <class Draw>
  [[gnu::always_inline]] void expect(const Draw& draw) const {
    if (point_.scattered()) point_.expect(samples_[static_cast<Index>(draw.upcoming(4))].entries);
    samples_.expect(static_cast<Index>(draw.upcoming(8)));
    samples_.expect_start(static_cast<Index>(draw.upcoming(12)));
  }
  void write_variables(Iterate& out) const;
  void settle_variables(Iterate& out);
  void read_variables(const Iterate& state);
  void write_block(Iterate& out) const;
  // Writes variable j out, where `out` has the rows' shares in x and z.
  void write(Index j, Point::Values& at, Iterate& out) const;
  double product_with(Index sample);  // a_i'x
  double label_of(Index sample) const { return samples_[sample].label; }
  void keep_within_bounds();

  // From x and z as they are written.
  void start_rows(const Iterate& at);
  void move_rows_and_block(const Parameters& p);
  // The activities of rows_ from what the carried rows and the block know.
  void merge_activities();

  Split split_;
  std::optional<RowGroups> groups_;            // of the block; rows_ are then the groups' others alone
  std::vector<Index> carried_places_;          // of split_.carried in rows_
  std::shared_ptr<const SparseRows> carried_;  // the carried rows without the block's variables
  PackedSamples samples_;
  Point point_;
  LazyRows pull_;
  std::optional<Bounds> bounds_;                  // where some variable has one
  std::optional<BlockVariables> block_;           // where there are no groups
  LaneVector carried_weight_, carried_activity_;  // with a block, of the carried rows
};

}  // namespace bridle
