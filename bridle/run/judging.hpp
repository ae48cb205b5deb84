// A run's dealings with the judge: when he is asked, what he is shown, and what he made of it.
#pragma once

#include "bridle/certify/infeasibility.hpp"
#include "bridle/finish/finish.hpp"
#include "bridle/run/options.hpp"
#include "bridle/run/state.hpp"

namespace bridle {

class Judging {
 public:
  // Keeps the best and the latest judged point, and the judge's samples, in `state`.
  Judging(const Problem& problem, const SolveOptions& options, RunState& state)
      : problem_(problem), options_(options), state_(state) {}

  // Shows a point; true when it is as good as the run wants it.
  bool show(const Candidate& candidate);
  // Is the best point so far?
  bool satisfied() const { return state_.best && good_enough(state_.best->certificate); }

  // Samples between two visits, so that the judge costs at most a twentieth of the run.
  double interval() const;
  // Sample gradients of one full gradient.
  double cost() const;
  double seconds() const { return seconds_; }

  // The last touch: full gradients, charged to the run, are spent on candidates near the last point while
  // `more` says so.
  void finish(const LastPoint& last, const std::function<bool()>& more);

  // Whether the constraints can be met at all, asked where the best point does not meet them. `y` is a guess.
  std::optional<Infeasibility> infeasibility(const Vector& y) const;

 private:
  double goal() const;
  bool good_enough(const Certificate& certificate) const;

  const Problem& problem_;
  const SolveOptions& options_;
  RunState& state_;
  double seconds_ = 0;
};

}  // namespace bridle
