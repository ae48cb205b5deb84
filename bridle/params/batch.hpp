// How many samples a step takes where the user has not said it.
//
// A step with the mean over a batch of K samples is a step of the same algorithm. What it costs besides its
// samples, rows and bounds that are moved in every step, is then paid once for K of them; and means over K
// samples bend less than single ones do, R_K = L + (R - L)/K, so that tau may be larger. As long as R_K is
// far above L, tau grows as K does and nothing is lost. K is the smallest power of two whose cost for
// the way, (waits + moved + K sample) / tau_K, is within 5% of the least.
#pragma once

#include <optional>

#include "bridle/core/types.hpp"
#include "bridle/params/parameters.hpp"

namespace bridle {

// What a step touches: numbers that it moves whatever is drawn, one after the other in memory, and nonzeros
// of one sample, here and there. A lazy step waits besides: for its slopes, the rows and their multipliers.
struct StepCost {
  double moved = 0, sample = 0;
  bool waits = false;
};

struct BatchChoice {
  Index samples = 1;
  std::optional<Reason> reason = {};  // where it was chosen and is not 1
};

// Whether it can pay at all, whatever the objective is like.
bool may_want_batches(const StepCost& cost);

// R: the mean curvature of single samples, L: that of their mean; for a finite sum of `count` samples.
BatchChoice choose_batch(const StepCost& cost, double R, double L, Index count);

}  // namespace bridle
