// One model with bounds on rates, for one start and one width of the smoothing.
#pragma once

#include "bridle/apps/fair/flips.hpp"
#include "bridle/apps/fair/rate_figures.hpp"
#include "bridle/apps/fair/step_plan.hpp"

namespace bridle {

// What all models of a fit share. All references must outlive it.
struct RateSetting {
  const FairProblem& problem;
  const Cells& cells;
  const std::vector<RateRow>& rows;
  StepPlan plan;
  SolveOptions options;  // of the loop that a start takes
  std::function<bool()> interrupted;
  // After every round, with the rows' worst excess in counts.
  std::function<void(const SmoothSteps&, double beyond)> tell;

  const Scorer& scorer() const { return problem.scorer(); }
  Vector counted(const Vector& scores) const;  // values of the rows
  // The problem with these smoothed rates, and this share of the bounds.
  Problem smoothed(const Slopes& slopes, const Vector& offset, double share = 1) const;
};

struct TrainedRates {
  RateCandidate figures = {};
  Vector w = {};       // the model
  double excess = 0;   // of its worst row, counted; 0: all hold
  SmoothSteps steps;   // where they ended: w itself without a walk
  Slopes slopes = {};  // of the smoothed problem there ...
  Vector offset = {};  // ... and its offset
  bool converged = false;
  double gradient_scale = 1;
  int drawn_in = 0, directions = 0;
  double distance = 0;  // of w from where the steps first ended
};

// The first steps of a start, which all widths share.
struct RateStart {
  SmoothSteps steps;
  std::uint64_t seed = 1;
  double gradient_scale = 1;
  double samples = 0;  // that the loop took
};
RateStart first_round(const RateSetting& setting, std::uint64_t seed);
// Steps, and a walk to the first point at which all counts hold.
TrainedRates train_rates(const RateSetting& setting, const RateStart& start, double width);
// Within the bounds, then telling people apart, then right more often.
bool better(const RateSetting& setting, const TrainedRates& a, const TrainedRates& b);
// Draws the bounds in by some people, and goes on with the steps, until the counts hold at a stationary point
// itself: in place of a walk, which leaves such a point. False, and nothing changes, where that does not
// succeed or is more than a standard error less accurate than `least`.
bool settle(const RateSetting& setting, TrainedRates& model, double least);

}  // namespace bridle
