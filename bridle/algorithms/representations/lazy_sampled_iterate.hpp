// The iterate of Algorithm 2 for sparse linear models: a step costs the nonzeros of the sample and of the
// rows drawn, however many variables and rows there are. Where the rows themselves are known, A'y is carried
// along with x and z (lazy_point.hpp).
#pragma once

#include "bridle/algorithms/representations/lazy_point.hpp"
#include "bridle/algorithms/representations/packed_samples.hpp"
#include "bridle/algorithms/representations/sampled_rows.hpp"
#include "bridle/problem/objectives/linear_model.hpp"

namespace bridle {

class LazySampledIterate : public SampledRows<LazySampledIterate> {
 public:
  // `draws`: how many the loop will make, as far as is known.
  LazySampledIterate(const StandardForm& form, AnyStochasticRows rows, Iterate start, bool literal_draws,
                     const ModeClasses& classes, double draws);

  bool makes_ready() const { return samples_.few_at_a_time(); }
  void make_ready(std::span<const Sample> samples) { samples_.make_ready(samples); }
  bool expect_draws(double draws) { return samples_.expect_draws(draws); }

  template <class Draw>
  void sample_gradient(Index batch, Draw&& draw) {
    terms_.clear();
    for (Index k = 0; k < batch; ++k) {
      const auto row = samples_[static_cast<Index>(draw())];
      const double slope = loss_slope(model_.loss(), point_.product(row.entries), row.label);
      terms_.push_back({row, slope / static_cast<double>(batch)});
    }
  }
  void primal_and_smoothing_step(const Parameters& p);

 private:
  friend SampledRows<LazySampledIterate>;
  using Point = LazyPoint<ModeTriple>;
  struct Term {
    PackedSamples::Row row;
    double slope;  // of its loss, divided by the batch
  };
  struct Push {
    RowSample::Row row;  // of sample_
    double factor;
  };

  double drawn_activity(const RowSample& sample, const RowSample::Row& row);
  // Kept until the step: residuals of rows still to be looked at are taken at the x before it.
  void push(const RowSample& sample, const RowSample::Row& row, double factor);
  void push_carried() {}  // it is what x and z move by
  void carry(const RowSample& sample, const RowSample::Row& row, double change);
  void forget_carried();
  void write_variables(Iterate& out) const;
  void settle_variables(Iterate& out);
  void read_variables();
  // |y|^2 and A'y afresh
  void sum_up_multipliers();

  const LinearModel& model_;
  PackedSamples samples_;
  Point point_;
  std::vector<Term> terms_;
  std::vector<Push> pushes_;
  Vector carried_;  // A'y when it was last summed up
};

}  // namespace bridle
