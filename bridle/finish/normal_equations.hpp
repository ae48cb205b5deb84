// The linear system of an interior-point step, (A Theta A') y = r with Theta >= 0 diagonal, by the cheaper of
// two ways.
#pragma once

#include <memory>

#include "bridle/core/types.hpp"

namespace bridle {

class NormalEquations {
 public:
  virtual ~NormalEquations() = default;
  // The matrix must outlive the system.
  static std::unique_ptr<NormalEquations> of(const SparseColumns& matrix);

  virtual bool factorise(const Vector& theta) = 0;
  virtual Vector solve(const Vector& right) const = 0;
};

// Entries of the system that is factorised, at most: of A Theta A', or of the reduced one.
double normal_entries(const SparseColumns& matrix);

}  // namespace bridle
