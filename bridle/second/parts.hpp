// The phase where X takes many rows to describe and a part of it few: an l1 ball, of which an orthant has
// one.
//
// The phase runs in the part around x that the slope points into, ends there, and goes on in the next, until
// the judge is content or the next part is the same. Every part is inside X and holds the point it begins
// with, so that f never rises and rows hold as ever. At the end of a part without a neighbour that the slope
// points into, no neighbour has a way down.
#pragma once

#include "bridle/second/improve.hpp"
#include "bridle/second/landscape.hpp"

namespace bridle::second {

Outcome run_phase_by_parts(const Problem& problem, Landscape& landscape, const Start& start,
                           const Options& options);

}  // namespace bridle::second
