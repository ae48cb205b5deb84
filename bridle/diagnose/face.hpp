// Whether the method is stable on the face it has reached: orthonormal rows are orthonormal over all columns,
// not over the free ones, and negative curvature along a small singular value makes a mode circle.
#pragma once

#include "bridle/params/parameters.hpp"
#include "bridle/scaling/standard_form.hpp"

namespace bridle {

struct FaceStability {
  Index free_columns = 0;              // variables and slacks off their bounds
  double smallest_singular_value = 0;  // sigma_min+ of their columns, in the metric of the rows
  // a k_e s^2 + (a + k_b) k_b (h + rho s^2) with s = sigma_min+ and h = -L, in units of L^3: negative where a
  // mode of the most negative curvature would circle.
  double margin = 0;
};

// At v in the standard form; dense, for small problems.
FaceStability face_stability(const StandardForm& form, const Vector& v, const Parameters& p,
                             double curvature);

}  // namespace bridle
