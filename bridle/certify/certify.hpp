// The judge: measures feasibility and stationarity of the user's own, unscaled problem. It knows the problem
// and the point, nothing of how the point was found, and shares no code with the algorithms.
#pragma once

#include <memory>

#include "bridle/certify/certificate.hpp"
#include "bridle/problem/problem.hpp"

namespace bridle {

struct CertifyOptions {
  bool improve_multipliers = false;  // replace y by bounded least squares where that lowers the error
  bool absolute = false;             // absolute figures decide, and are what y is fitted to
  Index batch = 100'000;             // samples for an endless stream whose mean cannot be computed
  std::uint64_t seed = 0;            // of that batch; independent of every draw the solver makes
  bool rows_are_exact = false;       // take rows() of a problem with stochastic rows at their word
};

// Judges many points of one problem, which must outlive it: what the scales need of the problem itself is
// computed once.
class Judge {
 public:
  explicit Judge(const Problem& problem, const CertifyOptions& options = {});
  ~Judge();
  Judge(Judge&&) noexcept;

  Certificate operator()(const Vector& x, const Vector& multipliers) const;

 private:
  struct Knowledge;
  std::unique_ptr<const Knowledge> self_;
};

Certificate certify(const Problem& problem, const Vector& x, const Vector& multipliers,
                    const CertifyOptions& options = {});

}  // namespace bridle
