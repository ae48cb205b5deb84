#include "bridle/run/random_output.hpp"

#include <cmath>

#include "bridle/algorithms/post_processing.hpp"
#include "bridle/core/count.hpp"

namespace bridle {
namespace {

// The user's, or for Algorithms 1 and 2 with the theory's parameters B = sqrt T: eps^-2 where T = eps^-4.
// Rows that are known through draws alone have no mean to take the step with.
Index post_processing_batch(const RunParts& run) {
  if (run.options.post_process > 0) return run.options.post_process;
  if (run.options.source != ParameterSource::theory || run.algorithm.carries_estimate) return 0;
  if (run.algorithm.baseline || run.problem.user.stochastic_rows()) return 0;
  return static_cast<Index>(std::ceil(std::sqrt(static_cast<double>(run.state.stage.stage.iterations))));
}

}  // namespace

std::uint64_t random_time(const RunParts& run) {
  const bool one_stage = run.options.source != ParameterSource::automatic &&
                         !run.problem.user.has_smooth_rows() && !follows_the_clock(run.options);
  const std::uint64_t all =
      one_stage ? run.state.stage.stage.iterations : to_count(run.budget.samples() / run.cost);
  return 1 + Stream(run.options.seed, Purpose::output_time).below(std::max<std::uint64_t>(1, all), 0);
}

void keep_random_output(RunParts& run) {
  RandomOutput& output = run.state.random_output.emplace();
  output.time = run.budget.spent.iterations;
  output.at = run.runner.in_original_units();
  output.batch = post_processing_batch(run);
  if (output.batch == 0) return;
  const Stage& stage = run.state.stage.stage;
  const StandardForm& form = run.runner.form();
  const Parameters p = stage.at(std::min(run.state.stage.done, stage.iterations - 1));
  const double smooth = run.state.stage.curvature + p.rho * form.metric().norm_squared() + p.mu;  // L_K
  const auto point = post_process(form, run.runner.iterate(), p, 1 / smooth, output.batch, run.options.seed,
                                  [&] { return run.budget.stop(); });
  if (!point) {
    output.batch = 0;
    run.say("stopped in the post-processing, which is left out");
    return;
  }
  output.post_processed = form.to_original(point->x);
  output.post_multipliers = form.multipliers_to_original(point->y);
  run.budget.spent.samples += static_cast<double>(output.batch);
  run.budget.spent.phases[Phase::loop] +=
      {.sample_gradients = static_cast<double>(output.batch), .projections = 1};
}

JudgedPoint judge_random_output(RunParts& run) {
  if (!run.state.random_output) keep_random_output(run);
  const RandomOutput& output = *run.state.random_output;
  const auto judged = [&](const Vector& x, const Vector& y, FoundBy found_by) {
    run.candidates.show({x, y}, found_by);
    return *run.state.judged.latest;
  };
  const JudgedPoint x = judged(output.at.x, output.at.multipliers, FoundBy::loop_x);
  const JudgedPoint z = judged(output.at.z, output.at.multipliers, FoundBy::smoothed_output);
  TheoryOutput& out = run.theory_output.emplace();
  out.time = output.time;
  out.iterations = run.budget.spent.iterations;
  out.x = x.x;
  out.y = output.at.multipliers;
  out.z = z.x;
  out.x_error = x.certificate.error();
  out.z_error = z.certificate.error();
  const bool returns_x = run.algorithm.carries_estimate || run.algorithm.baseline;
  if (output.batch == 0) return returns_x ? x : z;
  const JudgedPoint post = judged(output.post_processed, output.post_multipliers, FoundBy::post_processing);
  out.batch = output.batch;
  out.post_processed = post.x;
  out.post_multipliers = output.post_multipliers;
  out.post_processed_error = post.certificate.error();
  return run.options.post_process > 0 ? post : returns_x ? x : z;
}

}  // namespace bridle
