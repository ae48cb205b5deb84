// Which representations apply to a stage, for Algorithms 1, 2 and 3.
#pragma once

#include <optional>

#include "bridle/algorithms/representation.hpp"
#include "bridle/algorithms/representations/modes.hpp"
#include "bridle/problem/objectives/linear_model.hpp"

namespace bridle {

Applicability always_applies(const StandardForm& form, const Stage& stage, const Iterate& start);
Applicability fused_applies(const StandardForm& form, const Stage& stage, const Iterate& start);
Applicability lazy_applies(const StandardForm& form, const Stage& stage, const Iterate& start);
Applicability lazy_sampled_applies(const StandardForm& form, const Stage& stage, const Iterate& start);
Applicability lazy_storm_applies(const StandardForm& form, const Stage& stage, const Iterate& start);

// Nonzeros of a sample, on average; of dense data: of some samples.
double mean_nonzeros(const LinearModel& model);

// What lazy representations are made from: how x and z of a linear model's variables move together, and alpha
// / tau.
std::optional<ModeClasses> stage_modes(const StandardForm& form, const Stage& stage);
double stage_decay(const Stage& stage);

}  // namespace bridle
