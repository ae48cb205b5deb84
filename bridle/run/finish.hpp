// The last touch: points near the last iterate that are worth showing to the judge.
#pragma once

#include <vector>

#include "bridle/algorithms/iterate.hpp"

namespace bridle {

struct Candidate {
  Vector x;  // in the user's units, in X
  Vector y;
};

// The last x; and from x and from z: brought back onto the rows, then one step with the full gradient. Costs
// two full gradients (none when the mean gradient is not to be had).
std::vector<Candidate> finishing_candidates(const StandardForm& form, const Iterate& iterate,
                                            const Parameters& p);

// x in the user's units, inside X.
Vector original_point(const StandardForm& form, ConstVectorRef v);

}  // namespace bridle
