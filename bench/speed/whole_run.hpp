// What a step costs in a whole run: the loop with all that surrounds it, looking, judging and writing out.
#pragma once

namespace bridle::bench {

// Processor time per step of 40 epochs more, beside the bare step of the same problems.
void whole_run_cost(int rounds);

}  // namespace bridle::bench
