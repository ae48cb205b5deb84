// Curvature and noise of the objective, estimated from gradients.
#pragma once

#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/scaling/standard_form.hpp"

namespace bridle {

struct CurvatureEstimate {
  double curvature = 0;      // largest |eigenvalue| of the Hessian of f near the point, in the standard form
  double noise = 0;          // sigma: root mean square of |grad f(x, xi) - grad f(x)|, in the standard form
  double gradient_norm = 0;  // |grad f(x)|, estimated
  Index gradients = 0;       // sample gradients it cost
};

// Power iteration on same-sample gradient differences, each product averaged over `batch` samples.
CurvatureEstimate estimate_curvature(const StandardForm& form, const Vector& v, int iterations, Index batch,
                                     std::uint64_t seed, std::uint64_t round);

// Root mean square of |(H s)_j| over random signs s: the length of row j of the Hessian, in the user's units.
struct ColumnCurvature {
  Vector rows;
  Index gradients = 0;
};
ColumnCurvature estimate_column_curvature(const Problem& problem, const Vector& x, const Vector& column_scale,
                                          int probes, Index batch, std::uint64_t seed, std::uint64_t round);

// h lambda_max(C X'X C / N) of a linear model by power iteration on at most 2,000 rows; h bounds |V''|.
double linear_model_curvature(const LinearModel& model, const Vector& column_scale, std::uint64_t seed);

}  // namespace bridle
