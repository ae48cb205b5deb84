// Ipopt on a problem over bounds and rows, with the derivatives that Bridle has.
#pragma once

#include "bridle/problem/problem.hpp"

#include "bench/second/trail.hpp"

namespace bridle::bench {

// From the problem's start, for at most so many processor seconds. Exact Hessians up to 2,000 variables; of
// more there is no dense Hessian, and the samples' squares fill a sparse one: its own limited-memory one.
Trail run_ipopt(const Problem& problem, double most_seconds);

}  // namespace bridle::bench
