// What the driver knows of an algorithm: it can be run for a number of iterations and looked at.
#pragma once

#include "bridle/algorithms/iterate.hpp"

namespace bridle {

class Method {
 public:
  virtual ~Method() = default;
  // Runs iterations first, first + 1, ..., first + count - 1 of the stage.
  virtual void run(const Stage& stage, std::uint64_t first, std::uint64_t count) = 0;
  virtual const Iterate& state() const = 0;
};

// How an algorithm draws its samples, and what it is told besides the parameters.
struct Drawing {
  Sampling sampling = Sampling::reshuffled;
  Index batch = 1;
  std::uint64_t seed = 1;
  double dual_bound = infinity;  // M_y of the dual safeguard, in the standard form
  bool literal_draws = false;    // the paper's three draws even where a better estimator is known
};

// The part every loop has: the iterate, the sampler, and the walk over a stage. `Loop` supplies
// step(parameters).
template <class Loop, class It>
class SteppedMethod : public Method {
 public:
  SteppedMethod(It iterate, Index sample_count, const Drawing& drawing)
      : it(std::move(iterate)),
        batch(drawing.batch),
        sampler_(sample_count, drawing.sampling, drawing.seed) {}

  void run(const Stage& stage, std::uint64_t first, std::uint64_t count) override {
    for (std::uint64_t t = first; t < first + count; ++t) static_cast<Loop&>(*this).step(stage.at(t));
  }
  const Iterate& state() const override { return it.state(); }

 protected:
  // The next sample xi.
  auto draw() {
    return [this] { return sampler_(it.draws()++); };
  }

  It it;
  Index batch;

 private:
  Sampler sampler_;
};

}  // namespace bridle
