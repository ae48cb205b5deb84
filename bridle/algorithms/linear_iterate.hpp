// What the iterates for linear models share: multipliers and slacks, which are few, and the samples of a
// step.
#pragma once

#include <utility>
#include <vector>

#include "bridle/algorithms/row_side.hpp"
#include "bridle/problem/objectives/linear_model.hpp"

namespace bridle {

// It (the iterate itself) keeps x and z of the variables in a form of its own: `write_out` brings them to the
// state, `read_in` takes them from there, `product_with(i)` is a_i'x, `label_of(i)` its label; `expect` hears
// of the samples to come.
template <class It>
class LinearIterate {
 public:
  // Writes out x and z, O(n). Changes how the state is stored, not what it is: an iterate built from the copy
  // goes on bit for bit the same.
  const Iterate& state() const {
    if (!written_) {
      auto& self = const_cast<It&>(static_cast<const It&>(*this));
      self.rows_.write_out(self.now_);
      self.write_out();
      self.read_in();
      self.written_ = true;
    }
    return now_;
  }
  std::uint64_t& draws() { return now_.draws; }
  // The slopes of the losses at x, of a batch of samples
  template <class Draw>
  void sample_gradient(Index batch, Draw&& draw) {
    terms_.clear();
    for (Index k = 0; k < batch; ++k) {
      const auto sample = static_cast<Index>(draw());
      const double slope = loss_slope(model_.loss(), self().product_with(sample), self().label_of(sample));
      terms_.push_back({sample, slope / static_cast<double>(batch)});
      self().expect(draw);  // here, while the slope's exponential is on its way
    }
  }
  // y <- y + eta (A x - b)
  void dual_step(double eta) { rows_.dual_step(eta); }
  // w = y + rho (A x - b)
  void add_constraint_pull(double rho) { rows_.set_weight(rho); }

 protected:
  struct Term {
    Index sample;
    double slope;  // of its loss at a_i'x, divided by the batch
  };

  LinearIterate(const StandardForm& form, Iterate start)
      : form_(form),
        model_(*form.problem().objective().as_linear_model()),
        now_(std::move(start)),
        rows_(form) {
    rows_.read_in(now_);
  }

  It& self() { return static_cast<It&>(*this); }

  const StandardForm& form_;
  const LinearModel& model_;
  Iterate now_;  // x and z of the variables may be elsewhere, in another form
  RowSide rows_;
  std::vector<Term> terms_;
  bool written_ = true;  // x and z of the variables are up to date in the state
};

}  // namespace bridle
