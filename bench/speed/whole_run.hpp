// What a step costs in a whole run: the loop with all that surrounds it, looking, judging and writing out.
#pragma once

#include "bench/speed/problems.hpp"

namespace bridle::bench {

// Processor time per step of 40 epochs more, beside the bare step of the same problems, of one sample.
void whole_run_cost(int rounds);
// The same two figures for one problem of a kind that people have, and its iterate; `batch`: samples of a
// step, 0: as many as a run chooses.
void real_cost(const Size& size, Kind kind, int rounds, Index batch);

// How good the point is after equal epochs and equal seconds, with one sample a step and with the batch that
// is chosen.
void batch_errors();

}  // namespace bridle::bench
