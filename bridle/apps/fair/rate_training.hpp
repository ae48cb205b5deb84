// One model with bounds on rates, for one start and one width of the smoothing.
#pragma once

#include "bridle/apps/fair/flips.hpp"
#include "bridle/apps/fair/rate_figures.hpp"
#include "bridle/apps/fair/rate_start.hpp"

namespace bridle {

struct TrainedRates {
  std::size_t number = 1;  // among those of the fit
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

// Steps, and a walk to the first point at which all counts hold.
TrainedRates train_rates(const RateSetting& setting, const RateStart& start, double width,
                         std::size_t number);
// Within the bounds, then telling people apart, then right more often.
bool better(const RateSetting& setting, const TrainedRates& a, const TrainedRates& b);
// Draws the bounds in by some people, and goes on with the steps, until the counts hold at a stationary point
// itself: in place of a walk, which leaves such a point. False, and nothing changes, where that does not
// succeed or is more than a standard error less accurate than `least`.
bool settle(const RateSetting& setting, TrainedRates& model, double least);

}  // namespace bridle
