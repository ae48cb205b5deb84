// A square matrix of a few rows, multiplied in vector registers: a step with few constraint rows spends its
// time here.
#pragma once

#include "bridle/core/lane_vector.hpp"

namespace bridle {

class SmallMatrix {
 public:
  SmallMatrix() = default;
  explicit SmallMatrix(const Matrix& matrix);

  Index size() const { return size_; }
  // out <- the matrix times v
  void multiply(const double* v, double* out) const;

  // The same, inlined, for loops that are compiled for several machines; `room` numbers, at least size(), may
  // be written to `out`.
  [[gnu::always_inline]] void multiply_inline(const double* v, double* out, Index room) const {
    const Index blocks = blocks_for(size_);
    const double* const columns = columns_.data();
    for (Index b = 0; b < blocks; ++b) {
      SplitPack one{}, two{}, column;
      Index j = 0;
      for (; j + 1 < size_; j += 2) {
        load(column, columns + (j * blocks + b) * lanes);
        one += v[j] * column;
        load(column, columns + ((j + 1) * blocks + b) * lanes);
        two += v[j + 1] * column;
      }
      if (j < size_) {
        load(column, columns + (j * blocks + b) * lanes);
        one += v[j] * column;
      }
      one += two;
      const Index first = b * lanes;
      if (first + lanes <= room)
        store(out + first, one);
      else
        for (Index k = first; k < room; ++k)
          out[k] = k - first < 4 ? one.low[k - first] : one.high[k - first - 4];
    }
  }

 private:
  Index size_ = 0;
  LaneVector columns_;  // one after the other, each in whole lanes
};

}  // namespace bridle
