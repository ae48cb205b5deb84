// What a run asks of the objective after its loops and beside them: full gradients, or batches that stand for
// them. Where samples are spread over processes the objective itself
// adds up: an answer is the same in all of them, and nobody above this line knows.
#pragma once

#include "bridle/problem/problem.hpp"

namespace bridle {

class Oracle {
 public:
  // `batch`: samples that stand for a full gradient where f is known through samples only.
  Oracle(const Problem& problem, Index batch, std::uint64_t seed)
      : objective_(problem.objective()), batch_(batch), seed_(seed) {}

  // grad f(x), or its mean over a batch of samples that the judge does not use.
  void full_gradient(const Vector& x, Vector& out);

  // Sample gradients of a full gradient, or of the batch in its place.
  double pass_cost() const;

 private:
  AnyObjective objective_;
  Index batch_;
  std::uint64_t seed_;
};

}  // namespace bridle
