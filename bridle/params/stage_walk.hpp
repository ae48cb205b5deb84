// The parameters of one iteration after another. Cosines and powers are carried from iteration to iteration
// and computed afresh every 64th, whatever iteration the walk begins at: a step should not wait for a cosine.
#pragma once

#include "bridle/params/parameters.hpp"

namespace bridle {

class StageWalk {
 public:
  StageWalk(const Stage& stage, std::uint64_t first) : stage_(stage), iteration_(first - first % fresh) {
    const Schedule& schedule = stage.schedule;
    const double progress =
        (schedule.end - schedule.begin) / static_cast<double>(std::max<std::uint64_t>(stage.iterations, 1));
    turn_cosine_ = std::cos(half_turn * progress);
    turn_sine_ = std::sin(half_turn * progress);
    if (schedule.decay == Decay::geometric) ratio_ = std::pow(schedule.floor, progress);
    while (iteration_ < first) next_factor();
  }

  Parameters next() { return stage_.shrunk(next_factor()); }

 private:
  static constexpr std::uint64_t fresh = 64;
  static constexpr double half_turn = std::numbers::pi / 2;

  double next_factor() {
    const std::uint64_t t = iteration_++;
    switch (stage_.schedule.decay) {
      case Decay::cosine: {  // (1 + cos(pi f)) / 2 is the square of cos(pi f / 2)
        if (t % fresh == 0) {
          cosine_ = std::cos(half_turn * stage_.schedule.progress(t, stage_.iterations));
          sine_ = std::sin(half_turn * stage_.schedule.progress(t, stage_.iterations));
        }
        const double factor = cosine_ * cosine_, sine = sine_;
        sine_ = turn_cosine_ * sine + turn_sine_ * cosine_;
        cosine_ = turn_cosine_ * cosine_ - turn_sine_ * sine;
        return factor;
      }
      case Decay::geometric: {
        if (t % fresh == 0)
          power_ = std::pow(stage_.schedule.floor, stage_.schedule.progress(t, stage_.iterations));
        const double factor = (1 - stage_.schedule.progress(t, stage_.iterations)) * power_;
        power_ *= ratio_;
        return factor;
      }
      default:
        return stage_.schedule.factor(t, stage_.iterations);
    }
  }

  Stage stage_;
  std::uint64_t iteration_;
  double cosine_ = 1, sine_ = 0, turn_cosine_, turn_sine_;
  double power_ = 1, ratio_ = 1;
};

}  // namespace bridle
