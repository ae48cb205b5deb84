// The paper's post-processing: one projected step with a gradient averaged over a batch turns a point that is
// stationary on average into a stationary one.
#pragma once

#include "bridle/algorithms/iterate.hpp"
#include "bridle/oracle/draws.hpp"
#include "bridle/params/parameters.hpp"
#include "bridle/scaling/standard_form.hpp"

namespace bridle {

struct PostProcessed {
  Vector x;  // xhat = proj_X(x - tau Ghat), in the standard form
  Vector y;  // y_{t*+1}
};

// Ghat is the mean of `batch` samples of G at (x_{t*}, y_{t*+1}, z_{t*}); tau <= 1/L_K.
inline PostProcessed post_process(const StandardForm& form, const Iterate& at, const Parameters& p,
                                  double tau, Index batch, std::uint64_t seed) {
  Vector residual(form.rows()), scratch(form.rows()), mean(form.dimension()), point(form.variables());
  form.residual(at.x, residual);
  form.metric().apply(residual, scratch);
  PostProcessed out{at.x, at.y + p.eta * residual};
  const AnyObjective& objective = form.problem().objective();
  form.batch_gradient(at.x, drawn_batch(objective, Stream(seed, Purpose::first_batch), batch), mean, point);
  form.add_adjoint(out.y + p.rho * residual, mean);
  out.x -= tau * (mean + p.mu * (at.x - at.z));
  form.project(out.x);
  return out;
}

}  // namespace bridle
