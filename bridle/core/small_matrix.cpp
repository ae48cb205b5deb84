#include "bridle/core/small_matrix.hpp"

#include <algorithm>

namespace bridle {
namespace {

BRIDLE_DISPATCH void multiply_blocks(const double* columns, Index size, Index blocks, const double* v,
                                     double* out) {
  for (Index b = 0; b < blocks; ++b) {
    Pack one{}, two{}, column;
    Index j = 0;
    for (; j + 1 < size; j += 2) {
      load(column, columns + (j * blocks + b) * lanes);
      one += v[j] * column;
      load(column, columns + ((j + 1) * blocks + b) * lanes);
      two += v[j + 1] * column;
    }
    if (j < size) {
      load(column, columns + (j * blocks + b) * lanes);
      one += v[j] * column;
    }
    one += two;
    const Index first = b * lanes;
    if (first + lanes <= size)
      store(out + first, one);
    else
      for (Index k = first; k < size; ++k) out[k] = one[k - first];
  }
}

}  // namespace

SmallMatrix::SmallMatrix(const Matrix& matrix)
    : size_(matrix.rows()),
      blocks_((size_ + lanes - 1) / lanes),
      columns_(static_cast<std::size_t>(size_ * blocks_)) {
  for (Index j = 0; j < size_; ++j)
    std::copy_n(matrix.col(j).data(), size_, columns_[static_cast<std::size_t>(j * blocks_)].at);
}

void SmallMatrix::multiply(const double* v, double* out) const {
  if (size_ == 1)
    *out = columns_[0].at[0] * *v;
  else
    multiply_blocks(columns_[0].at, size_, blocks_, v, out);
}

}  // namespace bridle
