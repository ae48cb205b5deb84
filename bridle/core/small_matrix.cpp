#include "bridle/core/small_matrix.hpp"

#include <algorithm>

namespace bridle {
namespace {

BRIDLE_DISPATCH void dispatched(const SmallMatrix& matrix, const double* v, double* out) {
  matrix.multiply_inline(v, out, matrix.size());
}

}  // namespace

SmallMatrix::SmallMatrix(const Matrix& matrix)
    : size_(matrix.rows()), columns_(size_ * blocks_for(size_) * lanes) {
  for (Index j = 0; j < size_; ++j)
    std::copy_n(matrix.col(j).data(), size_, columns_.data() + j * blocks_for(size_) * lanes);
}

void SmallMatrix::multiply(const double* v, double* out) const {
  if (size_ == 1)
    *out = columns_[0] * *v;
  else
    dispatched(*this, v, out);
}

}  // namespace bridle
