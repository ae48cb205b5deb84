#include "bridle/problem/objectives/dense_row.hpp"

#include "bridle/problem/objectives/row_loops.hpp"

namespace bridle {

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
