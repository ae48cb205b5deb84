// How a model is trained by steps of sequential quadratic programming: linear ones with Hessians, networks
// with curvature from the last steps.
#pragma once

#include "bridle/apps/fair/fair_problem.hpp"
#include "bridle/apps/fair/smooth_steps.hpp"
#include "bridle/run/options.hpp"

namespace bridle {

struct StepPlan {
  StepCurvature curvature = StepCurvature::hessian;
  int steps_per_round = 4, steps_of_last_round = 20;
  double tolerance = 0;  // of the steps' own figure, at the end

  static StepPlan of(const FairProblem& problem, double tolerance);
};

// Where a run with this seed begins: a network's random weights, else 0.
Vector first_weights(const FairProblem& problem, std::uint64_t seed);
// The same after some passes of the loop without bounds, where there are many people and it lowers the
// objective: on large data passes are far cheaper than steps. `samples` grows by what it took.
Vector first_weights_after_passes(const FairProblem& problem, std::uint64_t seed, const SolveOptions& options,
                                  double& samples);
// Starts that are tried where nobody says how many: more for small data.
int starts_for(const FairProblem& problem);
inline constexpr double people_per_start = 10'000;

// What all steps of a model share; `stop` is asked before each.
SmoothStepOptions step_options(const FairProblem& problem, const StepPlan& plan, double gradient_scale,
                               std::function<bool()> stop);
// The largest entry of the objective's gradient at w, as a scale.
double gradient_scale_at(const FairProblem& problem, const Vector& w);

}  // namespace bridle
