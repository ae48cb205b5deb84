// What the iterates for linear models share: multipliers and slacks, which are few, and the samples of a
// step.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "bridle/algorithms/representations/row_side.hpp"
#include "bridle/problem/losses/loss_block.hpp"
#include "bridle/problem/objectives/linear_model.hpp"

namespace bridle {

// It (the iterate itself) keeps x and z of the variables in a form of its own: `write_variables` writes them
// out, `settle_variables` does so and goes on from what is written, `read_variables` goes on from another
// state, `product_with(i)` is a_i'x, `label_of(i)` its label; `expect` hears of the samples to come.
template <class It>
class LinearIterate {
 public:
  void write_to(Iterate& out) const {
    write_rows(out);
    static_cast<const It&>(*this).write_variables(out);
  }
  void settle(Iterate& out) {
    write_rows(out);
    self().settle_variables(out);
  }
  void read_in(const Iterate& state) {
    draws_ = state.draws;
    resets_ = state.resets;
    rows_.read_in(state);
    self().read_variables(state);
  }
  std::uint64_t& draws() { return draws_; }
  template <class Draw>
  void sample_gradient(Index batch, Draw&& draw) {
    terms_.clear();
    const double share = 1 / static_cast<double>(batch);
    if (batch >= worth_lanes) return slopes_in_lanes(batch, share, draw);
    for (Index k = 0; k < batch; ++k) {
      const auto sample = static_cast<Index>(draw());
      const double slope = loss_slope(model_.loss(), self().product_with(sample), self().label_of(sample));
      terms_.push_back({sample, share * slope});
      self().expect(draw);  // here, while the slope's exponential is on its way
    }
  }
  void dual_step(double eta) { rows_.dual_step(eta); }
  void add_constraint_pull(double rho) { rows_.set_weight(rho); }

 protected:
  struct Term {
    Index sample;
    double slope;  // of its loss at a_i'x, divided by the batch
  };

  LinearIterate(const StandardForm& form, const Iterate& start)
      : form_(form),
        model_(*form.problem().objective().as_linear_model()),
        rows_(form),
        draws_(start.draws),
        resets_(start.resets) {
    rows_.read_in(start);
  }

  It& self() { return static_cast<It&>(*this); }
  // The form's rows, which are not copied.
  static std::shared_ptr<const SparseRows> rows_of(const StandardForm& form) {
    return {std::shared_ptr<const void>(), &form.matrix()};
  }

  const StandardForm& form_;
  const LinearModel& model_;
  RowSide rows_;
  std::vector<Term> terms_;  // of the step that is being put together

 private:
  static constexpr Index worth_lanes = 4, at_once = 64;

  // The slopes of many samples, so many at once.
  template <class Draw>
  void slopes_in_lanes(Index batch, double share, Draw& draw) {
    std::array<double, at_once> products, labels, slopes, bends;
    for (Index done = 0; done < batch; done += at_once) {
      const Index count = std::min(at_once, batch - done);
      for (Index k = 0; k < count; ++k) {
        const auto sample = static_cast<Index>(draw());
        terms_.push_back({sample, 0});
        products[static_cast<std::size_t>(k)] = self().product_with(sample);
        labels[static_cast<std::size_t>(k)] = self().label_of(sample);
        self().expect(draw);
      }
      loss_derivatives(model_.loss(), products.data(), labels.data(), count, slopes.data(), bends.data());
      for (Index k = 0; k < count; ++k)
        terms_[static_cast<std::size_t>(done + k)].slope = share * slopes[static_cast<std::size_t>(k)];
    }
  }

  void write_rows(Iterate& out) const {
    out.x.resize(form_.dimension());
    out.z.resize(form_.dimension());
    rows_.write_out(out);
    out.draws = draws_;
    out.resets = resets_;
  }

  std::uint64_t draws_, resets_;
};

}  // namespace bridle
