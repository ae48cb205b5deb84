// The floor: a bare SGD loop (dot, slope, axpy) on the same rows in the same order, with prefetch and without
// constraints. No solver of this kind can be faster.
#pragma once

#include <vector>

#include "bridle/problem/objectives/linear_model.hpp"

namespace bridle::bench {

// Runs over the samples in the given order, from x.
void floor_epoch(const LinearModel& model, const std::vector<Sample>& order, double step, double* x);

}  // namespace bridle::bench
