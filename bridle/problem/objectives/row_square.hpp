// Sums of weighted outer products of rows of data, the dear part of a Hessian.
#pragma once

#include "bridle/problem/objectives/features.hpp"

namespace bridle {

// out += sum_i weights[i] a_i a_i' over rows first, ..., last - 1; of `out` (columns of doubles) the lower
// triangle is right, the upper one is not.
void add_row_squares(const Features& features, const double* weights, Index first, Index last, Matrix& out);

}  // namespace bridle
