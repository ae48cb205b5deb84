// The theory's output: the iterates at a time t* that is drawn before the run, and the paper's
// post-processing of them.
#pragma once

#include "bridle/run/parts.hpp"

namespace bridle {

// t*, uniform on {1, ..., T}: T is the number of iterations of a rule that has one stage, else as many as the
// budget pays for, or is guessed to pay for where it is time.
std::uint64_t random_time(const RunParts& run);

// The iterates as they are now, post-processed if that is wished.
void keep_random_output(RunParts& run);

// What was kept (or where t* lies beyond the last iteration, that one), all of it judged; and of these what
// is returned: z of Algorithms 1 and 2, x of those that carry an estimate and of rivals, or the
// post-processed point where the user asked for it.
JudgedPoint judge_random_output(RunParts& run);

}  // namespace bridle
