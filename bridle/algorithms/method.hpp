// What the driver knows of an algorithm: it can be run for a number of iterations and looked at.
#pragma once

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "bridle/algorithms/concepts.hpp"
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
  // How many iterations the stage is now expected to have left. Changes no step, only what the next ones
  // cost; true where some time was spent on that.
  virtual bool expect(std::uint64_t /*iterations*/) { return false; }

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
  bool guessed_length = false;   // a clock will tell how many iterations the stage has
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
    while (count > 0) {
      const std::uint64_t now = std::min(count, ready_at_once());
      make_ready(now * static_cast<std::uint64_t>(batch));
      for (std::uint64_t k = 0; k < now; ++k) static_cast<Loop&>(*this).step(walk.next());
      count -= now;
    }
  }
  void settle(Iterate& out) override { it.settle(out); }
  void write_to(Iterate& out) const override { it.write_to(out); }
  void take_up(const Iterate& state) override { it.read_in(state); }
  bool expect(std::uint64_t iterations) override {
    if constexpr (PreparingIterate<It>)
      return it.expect_draws(static_cast<double>(iterations) * static_cast<double>(batch));
    else
      return false;
  }

 protected:
  // Draws the next sample xi, and knows which ones come after it.
  class Draw {
   public:
    explicit Draw(SteppedMethod& method) : method_(method) {}
    Sample operator()() {
      const std::uint64_t number = method_.it.draws()++;
      return method_.makes_ready() ? number - method_.first_ready_ : method_.samples_(number);
    }
    // Of the draw `ahead` after the last one, at most SamplesAhead::reach
    Sample upcoming(std::uint64_t ahead) const {
      const std::uint64_t number = method_.it.draws() - 1 + ahead;
      return method_.makes_ready() ? number - method_.first_ready_ : method_.samples_.peek(number);
    }
    void between_pieces() const {
      if (method_.between_pieces_) method_.between_pieces_();
    }

   private:
    SteppedMethod& method_;
  };
  Draw draw() { return Draw(*this); }

  // Where the iterate wants samples made ready: those of so many draws to come, and of what is looked ahead
  // to. A run that goes on in small pieces finds them ready.
  void make_ready(std::uint64_t draws) {
    if constexpr (PreparingIterate<It>) {
      const std::uint64_t first = it.draws(), end = first + draws + SamplesAhead::reach;
      if (!makes_ready() || (first >= first_ready_ && end <= first_ready_ + ready_.size())) return;
      first_ready_ = first;
      ready_.resize(std::max(draws, draws_ready_at_once) + SamplesAhead::reach);
      samples_.without_looking_ahead()(first_ready_, ready_);
      it.make_ready(ready_);
    }
  }

  It it;
  Index batch;

 private:
  static constexpr std::uint64_t draws_ready_at_once = 1024;

  bool makes_ready() const {
    if constexpr (PreparingIterate<It>)
      return it.makes_ready();
    else
      return false;
  }
  // Iterations.
  std::uint64_t ready_at_once() const {
    return makes_ready() ? std::max<std::uint64_t>(1, draws_ready_at_once / static_cast<std::uint64_t>(batch))
                         : ~std::uint64_t{0};
  }

  SamplesAhead samples_;
  std::uint64_t first_ready_ = 0;  // the draw that the samples made ready begin with
  std::vector<Sample> ready_;
  std::function<void()> between_pieces_;
};

}  // namespace bridle
