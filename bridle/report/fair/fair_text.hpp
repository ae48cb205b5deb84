// Fair classifiers on the screen.
#pragma once

#include <string>

#include "bridle/apps/fair/bootstrap.hpp"
#include "bridle/apps/fair/choice.hpp"
#include "bridle/apps/fair/folds.hpp"
#include "bridle/apps/fair/sweep.hpp"

namespace bridle {

// Requested and achieved bounds, prices, figures beside those without the bounds, groups.
std::string fit_text(const Fit& fit, const Fit& free);
// What was asked of rates and what was counted; for models with bounds on rates.
std::string rates_text(const RateFigures& rates, const Fit& free);
// Figures over held-out folds, and intervals from resampled data.
std::string folds_text(const CrossValidation& folds);
std::string intervals_text(const std::vector<Interval>& intervals, const std::string& data, int replicates);
// One line per warning; empty where there is none.
std::string warnings_text(const Fit& fit);
// What was tried, and what was chosen by which rule.
std::string choice_text(const Choice& choice);
// What the judge says of the weights, and what the count says of their decisions, for bounds on rates.
std::string rates_verdict_text(const Fit& fit);
// The curve, one line per bound.
std::string sweep_text(const Sweep& sweep);

}  // namespace bridle
