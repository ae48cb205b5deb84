#pragma once

#include <string>

#include "bench/speed/problems.hpp"

namespace bridle::bench {

// Nanoseconds of a step of one sample and of the floor, table by table, as Markdown.
void step_cost(int rounds);
// The same two figures for one size.
void one_step_cost(const Size& size, int rounds);
// Nanoseconds of a sample in bare steps of a linear model's problem, the iterate they are taken with, and the
// samples of a step: `batch`, or as many as a run chooses where that is 0.
struct BareStep {
  double nanoseconds;
  std::string iterate;
  Index batch;
};
BareStep bare_step_cost(const Problem& problem, Index batch, int rounds);
// Algorithms 2 and 3: nanoseconds of a step with the dense and with the lazy iterate.
void other_step_cost(int rounds);

}  // namespace bridle::bench
