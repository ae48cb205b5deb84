#include "bridle/run/solve.hpp"

#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/run/logistic_start.hpp"
#include "bridle/run/rounds.hpp"

namespace bridle {

bool passes_are_shared(const Problem& problem) {
  const LinearModel* model = problem.objective().as_linear_model();
  return model && !model->spread_over_processes() && model->passes_worth_processes();
}

namespace {

Problem with_shared_passes(const Problem& problem, const SolveOptions& options) {
  if (!options.team || !passes_are_shared(problem)) return problem;
  return problem.with_objective(problem.objective().as_linear_model()->with_passes_over(options.team));
}

}  // namespace

// A run, begun at a logistic model where that is wise.
Result solve(const Problem& stated, const SolveOptions& options, Observer* observer) {
  Nobody silent;
  Observer& watching = observer ? *observer : silent;
  const Problem problem = with_shared_passes(stated, options);
  if (!wants_logistic_start(problem, options)) return run_in_rounds(problem, options, watching);
  SolveOptions rest = options;
  rest.grow = goes_on_until_certified(options);
  const LogisticStart start = logistic_start(problem, rest, watching);
  const std::string event = "start: the loss is flat far out, so the run begins at a logistic model";
  watching.event(event);
  Problem started = problem;
  Result result = run_in_rounds(started.start_from(start.x), rest, watching);
  result.events.insert(result.events.begin(), event);
  result.samples += start.samples;
  result.certificate_samples += start.certificate_samples;
  PhaseTable both = start.phases;
  result.account(both += result.phases);
  return result;
}

}  // namespace bridle
