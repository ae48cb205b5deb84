// The iterate of Algorithm 2 for sparse linear models: a step costs the nonzeros of the sample and of the
// rows drawn, however many variables and rows there are. Where the rows themselves are known, A'y is carried
// along with x and z (lazy_point.hpp).
#pragma once

#include "bridle/algorithms/lazy_point.hpp"
#include "bridle/algorithms/packed_samples.hpp"
#include "bridle/algorithms/sampled_rows.hpp"
#include "bridle/problem/objectives/linear_model.hpp"

namespace bridle {

class LazySampledIterate : public SampledRows<LazySampledIterate> {
 public:
  LazySampledIterate(const StandardForm& form, AnyStochasticRows rows, Iterate start, bool literal_draws,
                     const Modes& modes);

  // Writes out x and z, O(n). Changes how the state is stored, not what it is.
  const Iterate& state() const;

  // The slopes of the losses at x, of a batch of samples
  template <class Draw>
  void sample_gradient(Index batch, Draw&& draw) {
    terms_.clear();
    for (Index k = 0; k < batch; ++k) {
      const auto row = samples_[static_cast<Index>(draw())];
      const double product = point_.with_x(point_.products(
          row.chosen.count, [&](Index e) { return row.column(e); },
          [&](Index e) { return row.chosen.values[e]; }));
      terms_.push_back({row, loss_slope(model_.loss(), product, row.label()) / static_cast<double>(batch)});
    }
  }
  // x <- proj_X(x - tau (direction + mu (x - z)));  z <- z + beta (x_old - z)
  void primal_step(const Parameters& p);

 private:
  friend SampledRows<LazySampledIterate>;
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
  void push(const RowSample&, const RowSample::Row& row, double factor) { pushes_.push_back({row, factor}); }
  void push_carried() {}  // it is what x and z move by
  void carry(const RowSample& sample, const RowSample::Row& row, double change);
  void forget_carried();
  void write_out();
  void read_in();

  const LinearModel& model_;
  PackedSamples samples_;
  LazyPoint point_;
  std::vector<Term> terms_;
  std::vector<Push> pushes_;
  Vector carried_;  // A'y when written out
  bool written_ = true;
};

}  // namespace bridle
