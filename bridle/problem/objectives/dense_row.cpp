#include "bridle/problem/objectives/dense_row.hpp"

#include "bridle/problem/objectives/row_loops.hpp"

namespace bridle {
namespace {

BRIDLE_DISPATCH_BY_WIDTH(double row_dot_of(const double* a, const double* x, Index size),
                         return dot_in_lanes<Lanes>(a, x, size);)
BRIDLE_DISPATCH_BY_WIDTH(double row_dot_of(const float* a, const double* x, Index size),
                         return dot_in_lanes<Lanes>(a, x, size);)
BRIDLE_DISPATCH_BY_WIDTH(void row_add_of(double factor, const double* a, double* out, Index size),
                         add_in_lanes<Lanes>(factor, a, out, size);)
BRIDLE_DISPATCH_BY_WIDTH(void row_add_of(double factor, const float* a, double* out, Index size),
                         add_in_lanes<Lanes>(factor, a, out, size);)

}  // namespace

double row_dot(const double* a, const double* x, Index size) { return row_dot_of(a, x, size); }
double row_dot(const float* a, const double* x, Index size) { return row_dot_of(a, x, size); }
void row_add(double factor, const double* a, double* out, Index size) { row_add_of(factor, a, out, size); }
void row_add(double factor, const float* a, double* out, Index size) { row_add_of(factor, a, out, size); }

}  // namespace bridle
