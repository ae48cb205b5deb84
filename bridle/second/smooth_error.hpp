// The steps' own guess of the judge's error where rows bend: cheap, and never more than a reason to ask him.
#pragma once

#include "bridle/second/smooth_model.hpp"

namespace bridle::second {

// Slopes relative to their parts, violations to what rows add up, gaps under multipliers. `row_unit`: the
// inverse lengths of rows over variables of size 1.
double smooth_error(const SmoothModel& model, const SmoothLocal& at, const Vector& y, const Vector& row_unit);

}  // namespace bridle::second
