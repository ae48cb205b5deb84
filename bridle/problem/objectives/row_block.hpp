// Products with consecutive rows of data, dense (double or float) or sparse; arithmetic in double. Of dense
// data the sum is read and written once for four rows.
#pragma once

#include <algorithm>

#include "bridle/core/types.hpp"

namespace bridle {

// products[k] = a_k'x for the `count` rows from `rows` on, of `size` entries each
void block_dot(const double* rows, Index count, Index size, const double* x, double* products);
void block_dot(const float* rows, Index count, Index size, const double* x, double* products);
// out += sum_k factors[k] a_k
void block_add(const double* factors, const double* rows, Index count, Index size, double* out);
void block_add(const double* factors, const float* rows, Index count, Index size, double* out);

// How many rows make a block that stays in the first cache between the two.
inline constexpr Index most_rows_in_block = 64;
template <class Scalar>
Index rows_in_block(Index size) {
  constexpr Index bytes = 4096;
  return std::clamp<Index>(bytes / (static_cast<Index>(sizeof(Scalar)) * size) / 4 * 4, 4,
                           most_rows_in_block);
}

// The same for compressed rows: row k has the entries starts[k], ..., starts[k + 1] - 1.
void sparse_block_dot(const double* values, const int* columns, const int* starts, Index count,
                      const double* x, double* products);
void sparse_block_add(const double* factors, const double* values, const int* columns, const int* starts,
                      Index count, double* out);

}  // namespace bridle
