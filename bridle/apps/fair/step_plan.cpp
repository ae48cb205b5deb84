#include "bridle/apps/fair/step_plan.hpp"

#include <algorithm>
#include <cmath>

#include "bridle/run/solve.hpp"

namespace bridle {
namespace {

constexpr int most_starts = 5;
constexpr double own_over_judge = 0.1;  // tolerances: the steps' own figure is not the judge's

}  // namespace

StepPlan StepPlan::of(const FairProblem& problem, double tolerance) {
  StepPlan out;
  out.tolerance = own_over_judge * std::min(tolerance, sharp_tolerance);
  // A network's Hessian takes as many products as it has weights, and far from a solution tells little.
  if (!problem.network()) return out;
  out.curvature = StepCurvature::limited_memory;
  out.steps_per_round = 40;
  out.steps_of_last_round = 400;
  out.tolerance = own_over_judge * std::min(tolerance, ordinary_tolerance);
  return out;
}

Vector first_weights(const FairProblem& problem, std::uint64_t seed) {
  if (problem.network()) return problem.network()->start(seed);
  return Vector::Zero(problem.weight_count());
}

Vector first_weights_after_passes(const FairProblem& problem, std::uint64_t seed, const SolveOptions& options,
                                  double& samples) {
  constexpr double passes = 5;
  const Vector start = first_weights(problem, seed);
  if (static_cast<double>(problem.features().rows()) < people_per_start) return start;
  SolveOptions loop = options;
  loop.epochs = passes;
  loop.samples = loop.seconds = 0;
  loop.seed = seed;
  loop.second_order = loop.finish = false;
  Observer silent;
  const Result after = solve(problem.without_bounds().start_from(start), loop, &silent);
  samples += after.samples;
  const auto value = [&](const Vector& w) { return problem.objective().mean_value(w).value_or(infinity); };
  return after.x.allFinite() && value(after.x) < value(start) ? after.x : start;
}

int starts_for(const FairProblem& problem) {
  const auto people = static_cast<double>(problem.features().rows());
  if (people >= people_per_start) return 1;
  const int random = static_cast<int>(std::min(people_per_start / people, static_cast<double>(most_starts)));
  return problem.network() ? random : random + 1;  // the start at even rates
}

SmoothStepOptions step_options(const FairProblem& problem, const StepPlan& plan, double gradient_scale,
                               std::function<bool()> stop) {
  SmoothStepOptions out;
  out.curvature = plan.curvature;
  out.tolerance = plan.tolerance;
  out.scale = gradient_scale;
  out.most_steps = plan.steps_of_last_round;
  out.stop = std::move(stop);
  if (problem.network()) return out;  // by the length of the step: scores would take two passes more
  const Scorer& scorer = problem.scorer();
  const double root = std::sqrt(static_cast<double>(scorer.people()));
  out.output_change = [&scorer, root](const Vector& d) { return scorer.scores(d).norm() / root; };
  return out;
}

double gradient_scale_at(const FairProblem& problem, const Vector& w) {
  Vector gradient(w.size());
  problem.objective().mean_gradient(w, gradient);
  return std::max(gradient.lpNorm<Eigen::Infinity>(), 1e-12);
}

}  // namespace bridle
