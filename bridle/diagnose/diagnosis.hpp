// The quantities the paper's analysis is about, computed to high accuracy on small problems: the Moreau
// envelope Psi, the dual function d, the proximal points behind them, and the potentials that must descend.
//
// All in the standard form, where v = (x, slacks) is the paper's variable; build it with
// MetricKind::identity, as the theory has the rows as they are. Every inner problem is strongly convex (mu >
// L_f) and is solved until its own residual certifies the answer.
#pragma once

#include "bridle/algorithms/iterate.hpp"
#include "bridle/scaling/standard_form.hpp"

namespace bridle {

struct DiagnosisConstants {
  double mu = 2, rho = 1;
  double smoothness = 1;                                                         // L_f
  double row_norm = 1;                                                           // |A|
  double lambda() const { return smoothness + rho * row_norm * row_norm + mu; }  // L_K
};

struct InnerSolution {
  Vector v;          // the minimiser
  double value = 0;  // the minimum
  double error = 0;  // bound on |v - minimiser| (and on |A v - b| for the envelope)
};

class Diagnosis {
 public:
  Diagnosis(const StandardForm& form, const DiagnosisConstants& constants, double accuracy = 1e-10)
      : form_(form), c_(constants), accuracy_(accuracy) {}

  // d(y, z) = min over V of K(., y, z), attained at x*(y, z)
  InnerSolution dual_function(const Vector& y, const Vector& z) const;
  // phi(x, y, z) = min over V of K(., y, z) + (lambda/2)|. - x|^2, attained at u*(x, y, z)
  InnerSolution proximal(const Vector& x, const Vector& y, const Vector& z) const;
  // Psi(z) = min over { A v = b, v in V } of f + (mu/2)|. - z|^2, attained at xbar(z), where |grad Psi(z)| =
  // mu |z - xbar(z)|
  InnerSolution envelope(const Vector& z) const;

  // K(x, y, z)
  double smoothed_lagrangian(const Vector& x, const Vector& y, const Vector& z) const;
  // V = phi(x, y, z) - 2 d(y, z) + 2 Psi(z), Algorithms 1 and 2
  double potential(const Vector& x, const Vector& y, const Vector& z) const;

  const DiagnosisConstants& constants() const { return c_; }

 private:
  // min over V of f + <A v - b, y> + (rho/2)|A v - b|^2 + (mu/2)|v - z|^2 + (extra/2)|v - anchor|^2
  struct Subproblem {
    const Vector& y;
    const Vector& z;
    double rho;
    const Vector* anchor;
    double extra;
  };
  InnerSolution minimise(const Subproblem& sub, Vector start, double accuracy) const;
  double value(const Subproblem& sub, const Vector& v) const;
  void gradient(const Subproblem& sub, const Vector& v, Vector& out) const;
  Vector residual(const Vector& v) const;

  const StandardForm& form_;
  DiagnosisConstants c_;
  double accuracy_;
};

}  // namespace bridle
