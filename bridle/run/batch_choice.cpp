#include "bridle/run/batch_choice.hpp"

#include "bridle/algorithms/representations/applicability.hpp"
#include "bridle/params/automatic.hpp"

namespace bridle {
namespace {

// What a step of one sample costs, in the representation that it will get.
StepCost step_cost(const Problem& problem, const LinearModel& model, const Vector& columns,
                   const AlgorithmDescription& algorithm) {
  Scaling scaling;
  scaling.columns = columns;
  scaling.metric = MetricKind::identity;  // which nothing depends on here
  const StandardForm form(problem, scaling);
  if (!form.variable_bounds()) return {};
  Iterate start;
  start.x = form.to_standard(problem.starting_point(), Vector::Zero(problem.row_count()));
  form.project(start.x);
  start.z = start.x;
  start.y = Vector::Zero(form.rows());
  constexpr double step = 1e-3;  // beta in proportion to tau, as in every rule
  const Stage stage{{.tau = step, .eta = step, .beta = step, .mu = 1, .rho = 1}, {}, 1};
  const RepresentationChoice choice = algorithm.choose(form, stage, start);
  return {choice.moved, mean_nonzeros(model), choice.waits};
}

}  // namespace

BatchChoice batch_for(const Problem& problem, const SolveOptions& options,
                      const AlgorithmDescription& algorithm, Index workers) {
  if (options.batch != 0) return {.samples = options.batch};
  const AnyObjective& objective = problem.objective();
  const LinearModel* model = objective.as_linear_model();
  const bool plain = algorithm.gradients_per_iteration == 1 && !algorithm.samples_rows &&
                     !algorithm.baseline && options.source == ParameterSource::automatic;
  if (!plain || !model || model->batches_are_spread() || problem.has_smooth_rows() ||
      problem.stochastic_rows())
    return {};
  const Vector columns = noisy_columns(problem, *model);
  const StepCost cost = step_cost(problem, *model, columns, algorithm);
  if (!may_want_batches(cost)) return {};
  const double R = sample_curvature(*model, columns),
               L = linear_model_curvature(*model, columns, options.seed);
  return is_noisy(R, L) ? choose_batch(cost, R, L, model->sample_count() / workers) : BatchChoice{};
}

}  // namespace bridle
