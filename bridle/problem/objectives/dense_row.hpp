// Products with a row of dense data, stored as double or float; arithmetic in double.
#pragma once

#include "bridle/core/types.hpp"

namespace bridle {

// a'x
double row_dot(const double* a, const double* x, Index size);
double row_dot(const float* a, const double* x, Index size);
// out += factor a
void row_add(double factor, const double* a, double* out, Index size);
void row_add(double factor, const float* a, double* out, Index size);

}  // namespace bridle
