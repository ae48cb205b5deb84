// Where training with bounds on rates begins.
#pragma once

#include "bridle/apps/fair/rate_setting.hpp"

namespace bridle {

// The first steps of a start, which all widths share.
struct RateStart {
  SmoothSteps steps;
  std::uint64_t seed = 1;
  double gradient_scale = 1;
  double samples = 0;  // that the loop took
};

// The start with this number of a fit, from 0 on. A network begins at random weights. A linear model of few
// people begins at even rates, then at 0, and then, as one of many people does at once, with a pass of the
// loop. What is random comes from the fit's seed and the number.
RateStart rate_start(const RateSetting& setting, int number);

}  // namespace bridle
