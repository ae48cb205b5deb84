// A square matrix of a few rows, multiplied in vector registers: a step with few constraint rows spends its
// time here.
#pragma once

#include <vector>

#include "bridle/core/dispatch.hpp"
#include "bridle/core/prefetch.hpp"

namespace bridle {

class SmallMatrix {
 public:
  SmallMatrix() = default;
  explicit SmallMatrix(const Matrix& matrix);

  Index size() const { return size_; }
  // out <- the matrix times v
  void multiply(const double* v, double* out) const;

 private:
  struct alignas(cache_line) Block {
    double at[lanes] = {};
  };
  Index size_ = 0, blocks_ = 0;  // blocks of a column
  std::vector<Block> columns_;   // one after the other, zeros at the end
};

}  // namespace bridle
