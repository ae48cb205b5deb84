#include "bridle/problem/objectives/row_block.hpp"

#include "bridle/problem/objectives/row_loops.hpp"

namespace bridle {
namespace {

// Row after row: the memory sees one stream.
template <class Lanes, class Scalar>
[[gnu::always_inline]] inline void dot_rows(const Scalar* rows, Index count, Index size, const double* x,
                                            double* products) {
  for (Index k = 0; k < count; ++k) products[k] = dot_in_lanes<Lanes>(rows + k * size, x, size);
}

template <class Lanes, class Scalar>
[[gnu::always_inline]] inline void add_four_at(const double* factors, const Scalar* a, Index size,
                                               double* out) {
  Lanes sum, one, two, three, four;
  load(sum, out);
  load(one, a);
  load(two, a + size);
  load(three, a + 2 * size);
  load(four, a + 3 * size);
  sum += (factors[0] * one + factors[1] * two) + (factors[2] * three + factors[3] * four);
  store(out, sum);
}

// Four rows at once: `out` is read and written once for them.
template <class Lanes, class Scalar>
[[gnu::always_inline]] inline void add_rows(const double* factors, const Scalar* rows, Index count,
                                            Index size, double* out) {
  Index k = 0;
  for (; k + 4 <= count; k += 4) {
    const Scalar* const a = rows + k * size;
    Index j = 0;
    for (; j + lanes <= size; j += lanes) add_four_at<Lanes>(factors + k, a + j, size, out + j);
    for (; j + lanes / 2 <= size; j += lanes / 2) add_four_at<HalfPack>(factors + k, a + j, size, out + j);
    for (; j < size; ++j)
      for (Index r = 0; r < 4; ++r) out[j] += factors[k + r] * static_cast<double>(a[r * size + j]);
  }
  for (; k < count; ++k) add_in_lanes<Lanes>(factors[k], rows + k * size, out, size);
}

BRIDLE_DISPATCH_BY_WIDTH(void block_dot_of(const double* rows, Index count, Index size, const double* x,
                                           double* products),
                         dot_rows<Lanes>(rows, count, size, x, products);)
BRIDLE_DISPATCH_BY_WIDTH(void block_dot_of(const float* rows, Index count, Index size, const double* x,
                                           double* products),
                         dot_rows<Lanes>(rows, count, size, x, products);)
BRIDLE_DISPATCH_BY_WIDTH(void sum_of_rows(const double* factors, const double* rows, Index count, Index size,
                                          double* out),
                         add_rows<Lanes>(factors, rows, count, size, out);)
BRIDLE_DISPATCH_BY_WIDTH(void sum_of_rows(const double* factors, const float* rows, Index count, Index size,
                                          double* out),
                         add_rows<Lanes>(factors, rows, count, size, out);)

}  // namespace

void block_dot(const double* rows, Index count, Index size, const double* x, double* products) {
  block_dot_of(rows, count, size, x, products);
}
void block_dot(const float* rows, Index count, Index size, const double* x, double* products) {
  block_dot_of(rows, count, size, x, products);
}
void block_add(const double* factors, const double* rows, Index count, Index size, double* out) {
  sum_of_rows(factors, rows, count, size, out);
}
void block_add(const double* factors, const float* rows, Index count, Index size, double* out) {
  sum_of_rows(factors, rows, count, size, out);
}

void sparse_block_dot(const double* values, const int* columns, const int* starts, Index count,
                      const double* x, double* products) {
  for (Index k = 0; k < count; ++k) {
    double sums[4] = {};
    int e = starts[k];
    for (; e + 4 <= starts[k + 1]; e += 4)
      for (int l = 0; l < 4; ++l) sums[l] += values[e + l] * x[columns[e + l]];
    for (; e < starts[k + 1]; ++e) sums[0] += values[e] * x[columns[e]];
    products[k] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }
}

void sparse_block_add(const double* factors, const double* values, const int* columns, const int* starts,
                      Index count, double* out) {
  for (Index k = 0; k < count; ++k)
    for (int e = starts[k]; e < starts[k + 1]; ++e) out[columns[e]] += factors[k] * values[e];
}

}  // namespace bridle
