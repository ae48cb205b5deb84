// Boob, Deng and Lan 2023, ConEx inside an inexact proximal point method: bounded X, constraints with a point
// strictly inside, stochastic f; eps^-4. A round minimises f + (mu/2)|. - z|^2 over the rows by constraint
// extrapolation,
//   s_t = 2 A x_t - A x_{t-1},  y_{t+1} = the dual step towards s_t in [l, u] (for a row a'x <= u: [y + eta
//   (s - u)]_+), x_{t+1} = proj_X(x_t - tau (grad f(x_t, xi_t) + A'y_{t+1} + mu (x_t - z))),
// and its average is the next centre z and the next start; y is kept. Uses tau, eta, mu. The state's own: the
// average; its residual_estimate: A x_{t-1}.
#pragma once

#include "bridle/algorithms/baselines/vector_method.hpp"

namespace bridle {

class ConEx final : public VectorMethod {
 public:
  using VectorMethod::VectorMethod;

 private:
  void step(const Parameters& p, std::uint64_t t, std::uint64_t horizon) override {
    const ProximalRounds rounds(horizon);
    measure_activity();
    if (rounds.begins_at(t)) {
      now.own.setZero(form.variables());
      now.residual_estimate = activity;
    }
    for (Index i = 0; i < form.rows(); ++i) {
      const double towards = now.y[i] / p.eta + 2 * activity[i] - now.residual_estimate[i];
      now.y[i] = p.eta * (towards - nearest_allowed(i, towards));
    }
    now.residual_estimate = activity;
    sample_gradient();
    form.add_adjoint(now.y, gradient);
    auto x = variables(now.x), z = variables(now.z);
    x -= p.tau * (variables(gradient) + p.mu * (x - z));
    form.project_variables(x);
    now.own += (x - now.own) / static_cast<double>(rounds.position(t) + 1);
    if (rounds.ends_after(t)) x = z = now.own;
    place_slacks();
  }
};

}  // namespace bridle
