#include "bridle/problem/objectives/quadratic.hpp"

#include <cmath>

#include <Eigen/SparseCholesky>

namespace bridle {

bool Quadratic::convex() const {
  constexpr double least_curvature = 1e-10;
  constexpr Index most_entries = 2'000'000;
  if (hessian_.nonZeros() > most_entries) return false;
  const Vector diagonal = hessian_.diagonal();
  SparseColumns correlations = hessian_;
  for (Index k = 0; k < correlations.outerSize(); ++k)
    for (SparseColumns::InnerIterator it(correlations, k); it; ++it) {
      if (it.value() == 0) continue;
      if (!(diagonal[k] > 0) || !(diagonal[it.row()] > 0)) return false;
      it.valueRef() /= std::sqrt(diagonal[k]) * std::sqrt(diagonal[it.row()]);
    }
  correlations.prune(0.0);
  if (correlations.nonZeros() == 0) return true;
  SparseColumns raised(dimension(), dimension());
  raised.setIdentity();
  raised = correlations + least_curvature * raised;
  for (Index j = 0; j < dimension(); ++j)
    if (diagonal[j] == 0) raised.coeffRef(j, j) = 1;
  const Eigen::SimplicialLLT<SparseColumns> factor(raised);
  return factor.info() == Eigen::Success;
}

}  // namespace bridle
