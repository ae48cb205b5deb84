// What a run measures beside the loop: estimates of f and grad f, and the theory's quantities for --diagnose.
#pragma once

#include <memory>

#include "bridle/diagnose/diagnosis.hpp"
#include "bridle/run/options.hpp"

namespace bridle {

// f(x) exactly where that is cheap, else the mean over `count` samples; NaN without a value function.
double estimate_objective(const Problem& problem, const Vector& x, Index count, std::uint64_t seed);

// grad f(x), or its mean over `batch` samples that the judge does not use.
void full_gradient(const Problem& problem, const Vector& x, Index batch, std::uint64_t seed, Vector& out);

// Psi, |grad Psi| and the potential V at a point of the run, with the theory's mu and rho = 1 on the user's
// own rows.
class RunDiagnosis {
 public:
  static constexpr Index most_unknowns = 500;  // variables and rows; the inner problems are solved to 1e-10
  RunDiagnosis(const Problem& problem, const SolveOptions& options);

  struct Figures {
    double envelope, envelope_gradient, potential;
  };
  Figures operator()(const OriginalState& state) const;

 private:
  std::unique_ptr<StandardForm> form_;
  std::unique_ptr<Diagnosis> diagnosis_;
};

}  // namespace bridle
