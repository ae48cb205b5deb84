// Ma, Lin and Yang 2020: inexact proximal point, each round by switching subgradients; constraints with a
// point strictly inside (equality rows have none); eps^-4. In a round around z, with g(x) the largest
// violation of a row:
//   g(x_t) <= eta:  x_{t+1} = proj_X(x_t - tau (grad f(x_t, xi_t) + mu (x_t - z))), counted in the average;
//   else            x_{t+1} = proj_X(x_t -+ tau a_i), i the worst row.
// The average is the next centre and start. Linear rows are convex and are not regularised. Uses tau, mu, and
// eta as the tolerance. The state's own: the average, and how many steps it has.
#pragma once

#include "bridle/algorithms/baselines/vector_method.hpp"

namespace bridle {

class MaLinYang final : public VectorMethod {
 public:
  using VectorMethod::VectorMethod;

 private:
  void step(const Parameters& p, std::uint64_t t, std::uint64_t horizon) override {
    const ProximalRounds rounds(horizon);
    const Index n = form.variables();
    if (rounds.begins_at(t)) now.own.setZero(n + 1);
    measure_activity();
    Index worst = 0;
    double violation = 0;
    for (Index i = 0; i < form.rows(); ++i) {
      const double here = activity[i] - nearest_allowed(i, activity[i]);
      if (std::abs(here) > std::abs(violation)) violation = here, worst = i;
    }
    auto x = variables(now.x), z = variables(now.z);
    auto average = now.own.head(n);
    if (std::abs(violation) <= p.eta) {
      average += (x - average) / ++now.own[n];
      sample_gradient();
      x -= p.tau * (variables(gradient) + p.mu * (x - z));
    } else {
      for (SparseRows::InnerIterator it(form.matrix(), worst); it; ++it)
        x[it.col()] -= (violation > 0 ? p.tau : -p.tau) * it.value();
    }
    form.project_variables(x);
    if (rounds.ends_after(t) && now.own[n] > 0) x = z = average;
    place_slacks();
  }
};

}  // namespace bridle
