// Loops over a row of dense data, to be inlined into functions that are dispatched by width.
#pragma once

#include "bridle/core/dispatch.hpp"

namespace bridle {

// a'x
template <class Lanes, class Scalar>
[[gnu::always_inline]] inline double dot_in_lanes(const Scalar* a, const double* x, Index size) {
  Lanes one = {}, two = {}, left, right;
  Index j = 0;
  for (; j + 2 * lanes <= size; j += 2 * lanes) {
    load(left, a + j);
    load(right, x + j);
    one += left * right;
    load(left, a + j + lanes);
    load(right, x + j + lanes);
    two += left * right;
  }
  if (j + lanes <= size) {
    load(left, a + j);
    load(right, x + j);
    one += left * right;
    j += lanes;
  }
  one += two;
  HalfPack half, few, point;
  half_sum(half, one);
  if (j + lanes / 2 <= size) {
    load(few, a + j);
    load(point, x + j);
    half += few * point;
    j += lanes / 2;
  }
  double sum = sum_of(half);
  for (; j < size; ++j) sum += static_cast<double>(a[j]) * x[j];
  return sum;
}

// out += factor a
template <class Lanes, class Scalar>
[[gnu::always_inline]] inline void add_in_lanes(double factor, const Scalar* a, double* out, Index size) {
  Lanes row, sum;
  Index j = 0;
  for (; j + lanes <= size; j += lanes) {
    load(row, a + j);
    load(sum, out + j);
    sum += factor * row;
    store(out + j, sum);
  }
  for (; j < size; ++j) out[j] += factor * static_cast<double>(a[j]);
}

}  // namespace bridle
