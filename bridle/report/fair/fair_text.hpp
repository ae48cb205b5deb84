// Fair classifiers on the screen.
#pragma once

#include <string>

#include "bridle/apps/fair/sweep.hpp"

namespace bridle {

// Requested and achieved bounds, prices, figures beside those without the bounds, groups.
std::string fit_text(const Fit& fit, const Fit& free);
// The curve, one line per bound.
std::string sweep_text(const Sweep& sweep);

}  // namespace bridle
