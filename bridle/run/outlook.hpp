// What a time limit bears where data is large. Getting a sample ready for the loop takes about as long as
// some steps on it: where not all of them can be got ready and visited, the loop works on as many as it can
// visit once, drawn at random, and loses nothing by it.
#pragma once

#include "bridle/run/options.hpp"
#include "bridle/run/second_order.hpp"

namespace bridle {

struct Outlook {
  Index samples = 0;         // that the loop and the polish work on; 0: all
  bool quick_judge = false;  // even one look at all of them would take too long: the judge sees a sample
};

// `spent`: seconds of the limit before a resume.
Outlook outlook(const Problem& problem, const SolveOptions& options, bool own_parameters, double spent);

// So many samples of a linear model, a function of the seed.
Problem share_of(const Problem& problem, Index samples, std::uint64_t seed);

}  // namespace bridle
