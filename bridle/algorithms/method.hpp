// What the driver knows of an algorithm: it can be run for a number of iterations and looked at.
#pragma once

#include <functional>
#include <utility>

#include "bridle/algorithms/iterate.hpp"
#include "bridle/core/sampling.hpp"
#include "bridle/params/stage_walk.hpp"

namespace bridle {

class Method {
 public:
  virtual ~Method() = default;
  // Runs iterations first, first + 1, ..., first + count - 1 of the stage.
  virtual void run(const Stage& stage, std::uint64_t first, std::uint64_t count) = 0;
  // out <- the state. The method goes on from just what is written: one that is created from `out` ends with
  // the same bits. For the ends of chunks; costs a pass over the variables.
  virtual void settle(Iterate& out) = 0;
  // out <- the state as it is now. Changes nothing.
  virtual void write_to(Iterate& out) const = 0;
  // Goes on from another state of the same stage: as one would that is created from it, but for what it
  // costs.
  virtual void take_up(const Iterate& state) = 0;

  Iterate snapshot() const {
    Iterate out;
    write_to(out);
    return out;
  }
};

// What an algorithm is told besides the parameters: how it draws its samples, and the safeguard's bound.
struct MethodSettings {
  Sampling sampling = Sampling::reshuffled;
  Index batch = 1;
  std::uint64_t seed = 1;
  double dual_bound = infinity;  // M_y of the dual safeguard, in the standard form
  bool literal_draws = false;    // the paper's three draws even where a better estimator is known
  std::uint32_t worker = 0;      // its number among those that share the work: its draws are its own
  // Called between two pieces of a large batch. What it throws leaves the step unfinished: the method must
  // then take up another state.
  std::function<void()> between_pieces = {};
};

// The part every loop has: the iterate, the sampler, and the walk over a stage. `Loop` supplies
// step(parameters).
template <class Loop, class It>
class SteppedMethod : public Method {
 public:
  SteppedMethod(It iterate, Index sample_count, const MethodSettings& settings)
      : it(std::move(iterate)),
        batch(settings.batch),
        samples_(Sampler(sample_count, settings.sampling, settings.seed, settings.worker)),
        between_pieces_(settings.between_pieces) {}

  void run(const Stage& stage, std::uint64_t first, std::uint64_t count) override {
    StageWalk walk(stage, first);
    for (std::uint64_t k = 0; k < count; ++k) static_cast<Loop&>(*this).step(walk.next());
  }
  void settle(Iterate& out) override { it.settle(out); }
  void write_to(Iterate& out) const override { it.write_to(out); }
  void take_up(const Iterate& state) override { it.read_in(state); }

 protected:
  // Draws the next sample xi, and knows which ones come after it.
  class Draw {
   public:
    explicit Draw(SteppedMethod& method) : method_(method) {}
    Sample operator()() { return method_.samples_(method_.it.draws()++); }
    // Of the draw `ahead` after the last one, at most SamplesAhead::reach
    Sample upcoming(std::uint64_t ahead) const {
      return method_.samples_.peek(method_.it.draws() - 1 + ahead);
    }
    void between_pieces() const {
      if (method_.between_pieces_) method_.between_pieces_();
    }

   private:
    SteppedMethod& method_;
  };
  Draw draw() { return Draw(*this); }

  It it;
  Index batch;

 private:
  SamplesAhead samples_;
  std::function<void()> between_pieces_;
};

}  // namespace bridle
