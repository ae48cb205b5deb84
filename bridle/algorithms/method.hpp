// What the driver knows of an algorithm: it can be run for a number of iterations and looked at.
#pragma once

#include "bridle/algorithms/iterate.hpp"
#include "bridle/algorithms/iterate_choice.hpp"

namespace bridle {

class Method {
 public:
  virtual ~Method() = default;
  // Runs iterations first, first + 1, ..., first + count - 1 of the stage.
  virtual void run(const Stage& stage, std::uint64_t first, std::uint64_t count) = 0;
  virtual const Iterate& state() const = 0;
};

// How an algorithm draws its samples and stores its iterate, and what it is told besides the parameters.
struct Drawing {
  Sampling sampling = Sampling::reshuffled;
  Index batch = 1;
  std::uint64_t seed = 1;
  double dual_bound = infinity;       // M_y of the dual safeguard, in the standard form
  bool literal_draws = false;         // the paper's three draws even where a better estimator is known
  IterateChoice iterate = {};         // dense unless the stage was looked at (choose_iterate)
  const BatchShare* share = nullptr;  // batches spread over processes
};

// An iterate that can make use of the samples to come: those of 4, 8 and 12 draws later.
template <class It>
concept LooksAhead = requires(const It& it, Sample soon, Sample later, Sample last) {
  it.expect(soon, later, last);
};

// The part every loop has: the iterate, the sampler, and the walk over a stage. `Loop` supplies
// step(parameters).
template <class Loop, class It>
class SteppedMethod : public Method {
 public:
  SteppedMethod(It iterate, Index sample_count, const Drawing& drawing)
      : it(std::move(iterate)),
        batch(drawing.batch),
        samples_(Sampler(sample_count, drawing.sampling, drawing.seed)) {}

  void run(const Stage& stage, std::uint64_t first, std::uint64_t count) override {
    for (std::uint64_t t = first; t < first + count; ++t) static_cast<Loop&>(*this).step(stage.at(t));
  }
  const Iterate& state() const override { return it.state(); }

 protected:
  // The next sample xi. An iterate that can is told which ones come after it.
  auto draw() {
    return [this] {
      const std::uint64_t t = it.draws()++;
      const Sample sample = samples_(t);
      if constexpr (LooksAhead<It>)
        it.expect(samples_.peek(t + 4), samples_.peek(t + 8), samples_.peek(t + 12));
      return sample;
    };
  }

  It it;
  Index batch;

 private:
  SamplesAhead samples_;
};

}  // namespace bridle
