// The paper's post-processing: one projected step with a gradient averaged over a batch turns a point that is
// stationary on average into a stationary one.
#pragma once

#include <functional>
#include <optional>

#include "bridle/algorithms/iterate.hpp"
#include "bridle/algorithms/representations/drawn_batch.hpp"
#include "bridle/oracle/draws.hpp"
#include "bridle/params/parameters.hpp"
#include "bridle/scaling/standard_form.hpp"

namespace bridle {

struct PostProcessed {
  Vector x;  // xhat = proj_X(x - tau Ghat), in the standard form
  Vector y;  // y_{t*+1}
};

// The samples of its batch; leaves it when `stop` says so.
class PostProcessingDraw {
 public:
  PostProcessingDraw(const AnyObjective& objective, std::uint64_t seed, const std::function<bool()>& stop)
      : objective_(objective), stream_(seed, Purpose::first_batch), stop_(stop) {}
  Sample operator()() { return drawn_sample(objective_, stream_, next_++); }
  void between_pieces() const {
    if (stop_ && stop_()) throw LeftInBatch();
  }

 private:
  const AnyObjective& objective_;
  Stream stream_;
  const std::function<bool()>& stop_;
  std::uint64_t next_ = 0;
};

// Ghat is the mean of `batch` samples of G at (x_{t*}, y_{t*+1}, z_{t*}); tau <= 1/L_K. Nothing where `stop`,
// which is asked between the pieces of a large batch, said so.
inline std::optional<PostProcessed> post_process(const StandardForm& form, const Iterate& at,
                                                 const Parameters& p, double tau, Index batch,
                                                 std::uint64_t seed, const std::function<bool()>& stop = {}) {
  Vector residual(form.rows()), scratch(form.rows()), mean(form.dimension()), point(form.variables());
  form.residual(at.x, residual);
  form.metric().apply(residual, scratch);
  PostProcessed out{at.x, at.y + p.eta * residual};
  const AnyObjective& objective = form.problem().objective();
  try {
    DrawnBatch(objective).mean(batch, PostProcessingDraw(objective, seed, stop), mean,
                               [&](std::span<const Sample> samples, VectorRef gradient) {
                                 form.batch_gradient(at.x, samples, gradient, point);
                               });
  } catch (const LeftInBatch&) {
    return std::nullopt;
  }
  form.add_adjoint(out.y + p.rho * residual, mean);
  out.x -= tau * (mean + p.mu * (at.x - at.z));
  form.project(out.x);
  return out;
}

}  // namespace bridle
