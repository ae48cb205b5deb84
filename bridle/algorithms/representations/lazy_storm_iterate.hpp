// The iterate of Algorithm 3 for sparse linear models: STORM's estimate dhat is carried along with x and z
// (lazy_point.hpp), the rows as the m coefficients of A'e (lazy_rows.hpp).
#pragma once

#include "bridle/algorithms/representations/lazy_point.hpp"
#include "bridle/algorithms/representations/lazy_rows.hpp"
#include "bridle/algorithms/representations/linear_iterate.hpp"
#include "bridle/algorithms/representations/packed_samples.hpp"

namespace bridle {

class LazyStormIterate : public LinearIterate<LazyStormIterate> {
 public:
  // `decay`: alpha / tau. `draws`: how many the loop will make, as far as is known.
  LazyStormIterate(const StandardForm& form, const Iterate& start, const ModeClasses& classes, double decay,
                   double draws);

  bool makes_ready() const { return samples_.few_at_a_time(); }
  void make_ready(std::span<const Sample> samples) { samples_.make_ready(samples); }
  bool expect_draws(double draws) { return samples_.expect_draws(draws); }

  template <class Draw>
  void start_estimate(Index batch, Draw&& draw) {
    forget_estimate();
    draw_terms(batch, draw, [&](double product, double, double label) {
      return loss_slope(model_.loss(), product, label);
    });
  }
  void use_estimate() {}  // it is what x and z move by
  void primal_and_smoothing_step(const Parameters& p);
  template <class Draw>
  void update_estimate(double alpha, Index batch, Draw&& draw) {
    draw_terms(batch, draw, [&](double product, double previous, double label) {
      return loss_slope(model_.loss(), product, label) -
             (1 - alpha) * loss_slope(model_.loss(), previous, label);
    });
  }

 private:
  friend LinearIterate<LazyStormIterate>;
  using Point = LazyPoint<ModeTriple>;

  // estimate += mean over a batch of slope(a_i'x, a_i'x_old, label) a_i, all slopes before any of them is
  // added
  template <class Draw, class Slope>
  void draw_terms(Index batch, Draw&& draw, Slope&& slope) {
    terms_.clear();
    for (Index k = 0; k < batch; ++k) {
      const auto sample = static_cast<Index>(draw());
      const auto row = samples_[sample];
      const auto [now, previous] = point_.products(row.entries);
      terms_.push_back({sample, slope(now + pull_.product(row.rows),
                                      previous + pull_.product(row.rows, previous_pull_), row.label) /
                                    static_cast<double>(batch)});
    }
    carry_terms();
  }
  void carry_terms();
  void forget_estimate();
  void write_variables(Iterate& out) const;
  void settle_variables(Iterate& out);
  void read_variables(const Iterate& state);
  // Writes variable j out, where `out` has the rows' shares in x and z.
  void write(Index j, Point::Values& at, Iterate& out) const;

  ModeClasses classes_;
  double decay_;
  PackedSamples samples_;
  Point point_;
  LazyRows pull_;
  LaneVector previous_pull_;  // the rows' share in x before the last step
  LaneVector estimate_rows_;  // A times dhat without the ridge's part, class by class
};

}  // namespace bridle
