#pragma once

namespace bridle::bench {

// Nanoseconds of a step and of the floor, table by table, as Markdown.
void step_cost(int rounds);

}  // namespace bridle::bench
