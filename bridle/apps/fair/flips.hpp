// The closing walk: along a direction decisions flip one after another, so that the first point at which all
// rates are within their bounds can be found by counting.
#pragma once

#include "bridle/apps/fair/smoothed_rates.hpp"

namespace bridle {

struct Stop {
  double length = 0;  // how far along the direction
  double excess = 0;  // of the worst row there; 0: all rows hold
};
// The first place on scores + length * change, 0 <= length <= most, at which all rows hold; where none does,
// the one that misses them least. Between two flips it is the middle.
Stop first_stop(const Cells& cells, const std::vector<RateRow>& rows, const Vector& scores,
                const Vector& change, double most);

struct Walk {
  Vector w;
  double excess = 0;    // of the worst row, in rates and counted at w; 0: all rows hold
  int directions = 0;   // that were walked
  double distance = 0;  // from where it began
};
// Least-norm Newton directions for the rows at their bounds or beyond, at most `most` of them, each walked to
// its first stop.
Walk walk_to_bounds(const Cells& cells, const std::vector<RateRow>& rows, const Scorer& scorer,
                    const Vector& start, double width, int most = 30);

}  // namespace bridle
