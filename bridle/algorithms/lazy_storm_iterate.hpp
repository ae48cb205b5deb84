// The iterate of Algorithm 3 for sparse linear models: STORM's estimate dhat is carried along with x and z
// (lazy_point.hpp), the rows as the m coefficients of A'e (lazy_rows.hpp).
#pragma once

#include "bridle/algorithms/lazy_point.hpp"
#include "bridle/algorithms/lazy_rows.hpp"
#include "bridle/algorithms/linear_iterate.hpp"
#include "bridle/algorithms/packed_samples.hpp"

namespace bridle {

class LazyStormIterate : public LinearIterate<LazyStormIterate> {
 public:
  // `decay`: alpha / tau
  LazyStormIterate(const StandardForm& form, Iterate start, const Modes& modes, double decay);

  // estimate <- mean over a batch at x: STORM's first
  template <class Draw>
  void start_estimate(Index batch, Draw&& draw) {
    state();  // writes out x
    forget_estimate();
    read_in();
    draw_terms(batch, draw, [&](double product, double, double label) {
      return loss_slope(model_.loss(), product, label);
    });
  }
  void use_estimate() {}  // it is what x and z move by
  // x <- proj_X(x - tau (G + mu (x - z)));  z <- z + beta (x_old - z)
  void primal_and_smoothing_step(const Parameters& p);
  // estimate <- grad f(x, xi) + (1 - alpha)(estimate - grad f(x_old, xi)), both at the same samples
  template <class Draw>
  void update_estimate(double alpha, Index batch, Draw&& draw) {
    draw_terms(batch, draw, [&](double product, double previous, double label) {
      return loss_slope(model_.loss(), product, label) -
             (1 - alpha) * loss_slope(model_.loss(), previous, label);
    });
  }

 private:
  friend LinearIterate<LazyStormIterate>;

  // estimate += mean over a batch of slope(a_i'x, a_i'x_old, label) a_i, all slopes before any of them is
  // added
  template <class Draw, class Slope>
  void draw_terms(Index batch, Draw&& draw, Slope&& slope) {
    terms_.clear();
    for (Index k = 0; k < batch; ++k) {
      const auto sample = static_cast<Index>(draw());
      const auto row = samples_[sample];
      const LazyPoint::Products products = products_of(row);
      const double now = point_.with_x(products) + row_product(row.rows, pull_.x_pull()),
                   previous = point_.with_previous_x(products) + row_product(row.rows, previous_pull_);
      terms_.push_back({sample, slope(now, previous, row.label()) / static_cast<double>(batch)});
    }
    carry_terms();
  }
  LazyPoint::Products products_of(const PackedSamples::Row& row);
  void carry_terms();
  void forget_estimate();  // of the losses
  void write_out();
  void read_in();

  double ridge_, decay_;
  PackedSamples samples_;
  LazyPoint point_;
  LazyRows pull_;
  LaneVector previous_pull_;  // the rows' share in x before the last step
  Vector carried_;            // dhat without the ridge's part, when written out
  Vector estimate_rows_;      // A times it
};

}  // namespace bridle
