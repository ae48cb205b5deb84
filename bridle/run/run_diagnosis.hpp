// The theory's quantities at a point of a run, for --diagnose.
#pragma once

#include <memory>

#include "bridle/diagnose/diagnosis.hpp"
#include "bridle/run/options.hpp"

namespace bridle {

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
