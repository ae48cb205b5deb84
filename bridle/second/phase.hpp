// The loop of the phase: steps, line searches, saddles.
#pragma once

#include "bridle/second/improve.hpp"
#include "bridle/second/landscape.hpp"
#include "bridle/second/region.hpp"

namespace bridle::second {

Outcome run_phase(const Problem& problem, const Region& region, Landscape& landscape, const Start& start,
                  const Options& options);

}  // namespace bridle::second
