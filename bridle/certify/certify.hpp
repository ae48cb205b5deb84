// The judge: measures feasibility and stationarity of the user's own, unscaled problem. It knows the problem
// and the point, nothing of how the point was found, and shares no code with the algorithms.
#pragma once

#include "bridle/certify/certificate.hpp"
#include "bridle/problem/problem.hpp"

namespace bridle {

struct CertifyOptions {
  bool improve_multipliers = false;  // replace y by bounded least squares where that lowers the error
  Index batch = 100'000;             // samples for an endless stream whose mean cannot be computed
  std::uint64_t seed = 0;            // of that batch; independent of every draw the solver makes
  bool rows_are_exact = false;       // take rows() of a problem with stochastic rows at their word
};

Certificate certify(const Problem& problem, const Vector& x, const Vector& multipliers,
                    const CertifyOptions& options = {});

}  // namespace bridle
