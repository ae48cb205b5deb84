#pragma once

#include "bench/speed/problems.hpp"

namespace bridle::bench {

// Nanoseconds of a step and of the floor, table by table, as Markdown.
void step_cost(int rounds);
// The same two figures for one size.
void one_step_cost(const Size& size, int rounds);

}  // namespace bridle::bench
