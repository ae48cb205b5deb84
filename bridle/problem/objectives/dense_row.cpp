#include "bridle/problem/objectives/dense_row.hpp"

#include "bridle/core/dispatch.hpp"

namespace bridle {
namespace {

template <class Scalar>
[[gnu::always_inline]] inline double dot_in_lanes(const Scalar* a, const double* x, Index size) {
  Pack one = {}, two = {}, left, right;
  Index j = 0;
  for (; j + 2 * lanes <= size; j += 2 * lanes) {
    load(left, a + j);
    load(right, x + j);
    one += left * right;
    load(left, a + j + lanes);
    load(right, x + j + lanes);
    two += left * right;
  }
  one += two;
  double sum = sum_of(one);
  for (; j < size; ++j) sum += static_cast<double>(a[j]) * x[j];
  return sum;
}

template <class Scalar>
[[gnu::always_inline]] inline void add_in_lanes(double factor, const Scalar* a, double* out, Index size) {
  Pack row, sum;
  Index j = 0;
  for (; j + lanes <= size; j += lanes) {
    load(row, a + j);
    load(sum, out + j);
    sum += factor * row;
    store(out + j, sum);
  }
  for (; j < size; ++j) out[j] += factor * static_cast<double>(a[j]);
}

}  // namespace

BRIDLE_DISPATCH double row_dot(const double* a, const double* x, Index size) {
  return dot_in_lanes(a, x, size);
}
BRIDLE_DISPATCH double row_dot(const float* a, const double* x, Index size) {
  return dot_in_lanes(a, x, size);
}
BRIDLE_DISPATCH void row_add(double factor, const double* a, double* out, Index size) {
  add_in_lanes(factor, a, out, size);
}
BRIDLE_DISPATCH void row_add(double factor, const float* a, double* out, Index size) {
  add_in_lanes(factor, a, out, size);
}

}  // namespace bridle
