// What a run asks of the objective outside its loops: full gradients, or batches that stand for them, and
// estimates of f. It counts what was asked. Where samples are spread over processes the objective itself adds
// up: an answer is the same in all of them, and nobody above this line knows.
#pragma once

#include "bridle/problem/problem.hpp"

namespace bridle {

// What was asked so far, in units that differ by orders of magnitude.
struct Asked {
  double full_gradients = 0;   // of the mean
  double batch_gradients = 0;  // of large batches in their place
  double hessian_products = 0;

  template <class Archive>
  void transfer(Archive& archive) {
    archive(full_gradients, batch_gradients, hessian_products);
  }
};

class Oracle {
 public:
  // `batch`: samples that stand for a full gradient where f is known through samples only.
  Oracle(const Problem& problem, Index batch, std::uint64_t seed)
      : objective_(problem.objective()), batch_(batch), seed_(seed) {}

  // grad f(x), or its mean over a batch of samples that the judge does not use.
  void full_gradient(const Vector& x, Vector& out);
  // f(x) exactly where that is cheap, else the mean over `count` samples; NaN without a value function.
  double estimate_value(const Vector& x, Index count) const;

  // Sample gradients of a full gradient, or of the batch in its place.
  double pass_cost() const;
  const Asked& asked() const { return asked_; }

 private:
  AnyObjective objective_;
  Index batch_;
  std::uint64_t seed_;
  Asked asked_;
};

}  // namespace bridle
