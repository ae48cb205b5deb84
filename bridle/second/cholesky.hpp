// A = L L' for a dense symmetric positive definite matrix, in lanes.
#pragma once

#include <vector>

#include "bridle/core/types.hpp"

namespace bridle::second {

class Cholesky {
 public:
  // Of the lower triangle. False when a pivot falls below `least` times its diagonal entry: not positive
  // definite to working accuracy.
  bool factorise(const Matrix& matrix, double least = 1e-13);
  // x <- A^-1 x
  void solve(VectorRef x) const;

 private:
  Index blocks_ = 0, size_ = 0;
  // Eight rows after the other; each holds its columns, eight entries to a column, up to the diagonal block.
  std::vector<double> factor_;
};

}  // namespace bridle::second
