// Progress of a fit that trains several models in turn, told as one sequence: iterations, samples and seconds
// add up, the phase says whose a row is, and the last row is the point that is returned.
#pragma once

#include <algorithm>
#include <cmath>

#include "bridle/apps/fair/judged_from.hpp"
#include "bridle/apps/fair/step_plan.hpp"
#include "bridle/run/budget.hpp"

namespace bridle {

class Telling {
 public:
  // The problem must outlive it. `models` is how many there will be, before any of them is gone on with.
  Telling(Observer* observer, const FairProblem& problem, int models, bool absolute = false)
      : observer_(observer),
        problem_(problem),
        models_(models),
        absolute_(absolute),
        people_(static_cast<double>(problem.features().rows())) {}

  bool interrupted() const { return observer_ && observer_->interrupted(); }
  double seconds() const { return watch_.seconds(); }

  // What a start took before its models are trained.
  void spend(int steps, double samples) {
    steps_before_ += steps;
    samples_before_ += samples;
  }
  // A model begins where these steps are.
  void begin(std::string phase, std::uint64_t seed, const SmoothSteps& from) {
    steps_before_ += last_ - first_;
    first_ = last_ = from.steps();
    phase_ = std::move(phase);
    seed_ = seed;
    begun_ = std::min(begun_ + 1, models_ + 1);
    if (begun_ <= models_) rounds_ = 0;
  }
  // Its steps are `beyond` bounds, for the problem that the last of them were taken on.
  void row(const SmoothSteps& steps, const Problem& problem, double beyond) {
    last_ = steps.steps();
    ++rounds_;
    if (!listens()) return;
    Progress p = so_far(phase_, beyond);
    if (observer_->wants() == Observer::Wants::figures) {
      const Certificate judged = verdict(problem, steps.x(), steps.multipliers());
      p.objective = judged.objective;
      p.stationarity = judged.stationarity.absolute;
      p.error = judged.error();
    } else {
      p.objective = problem_.objective().mean_value(steps.x()).value_or(std::nan(""));
    }
    // A model is worth as much as the next one, and going on with some of them as much as one more.
    const double done = (begun_ - rounds_to_come() / (rounds_ + rounds_to_come())) / (models_ + 1);
    p.seconds = seconds();
    p.seconds_left = p.seconds * (1 - done) / done;
    observer_->progress(p);
  }
  void result(const Result& result, double beyond) {
    if (!listens()) return;
    Progress p = so_far("result", beyond);
    p.objective = result.certificate.objective;
    p.stationarity = result.certificate.stationarity.absolute;
    p.error = result.certificate.error();
    p.seconds = seconds();
    observer_->progress(p);
  }

 private:
  static constexpr double rounds_to_come() { return 4; }  // of a model, for a guess of the time that is left
  static constexpr double steps_of_a_model = 20;

  bool listens() const { return observer_ && observer_->wants() != Observer::Wants::nothing; }
  Progress so_far(const std::string& phase, double beyond) const {
    Progress p;
    const int steps = steps_before_ + last_ - first_;
    p.iterations = static_cast<std::uint64_t>(steps);
    p.samples = samples_before_ + people_ * steps;
    p.budget = people_ * steps_of_a_model * models_;
    p.phase = phase;
    p.feasibility = beyond;
    return p;
  }
  Certificate verdict(const Problem& problem, const Vector& x, const Vector& y) const {
    const CertifyOptions how{.improve_multipliers = true, .absolute = absolute_};
    return problem_.network() ? judged_from(first_weights(problem_, seed_), problem, x, y, how)
                              : certify(problem, x, y, how);
  }

  Observer* observer_;
  const FairProblem& problem_;
  int models_;
  bool absolute_;
  double people_;
  Stopwatch watch_ = Stopwatch();
  std::string phase_ = {};
  std::uint64_t seed_ = 0;
  int begun_ = 0, rounds_ = 0;
  int steps_before_ = 0, first_ = 0, last_ = 0;
  double samples_before_ = 0;
};

}  // namespace bridle
