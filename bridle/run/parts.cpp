#include "bridle/run/parts.hpp"

#include "bridle/core/error.hpp"
#include "bridle/core/formatted.hpp"
#include "bridle/problem/objectives/linear_model.hpp"

namespace bridle {
namespace {

const AlgorithmDescription& algorithm_of(const SolveOptions& options) {
  if (const auto* found = find_algorithm(options.algorithm)) return *found;
  throw InputError("there is no algorithm '" + options.algorithm + "'");
}

// The paper's loop on the user's own rows and columns.
bool is_literal(const SolveOptions& options) {
  return options.source == ParameterSource::theory ||
         (options.source == ParameterSource::given && options.given &&
          options.given->metric == MetricKind::identity);
}

RunProblem problem_of(const Problem& problem, const SolveOptions& options, const Outlook& outlook) {
  RunProblem out{.user = problem, .quick_judge = outlook.quick_judge};
  if (outlook.samples > 0) out.share = share_of(problem, outlook.samples, options.seed);
  const bool as_stated = is_literal(options) || options.diagnose || problem.has_smooth_rows();
  if (!as_stated) out.centring = Centring::of(out.working());
  return out;
}

SolveOptions with_batch(SolveOptions options, Index batch) {
  options.batch = batch;
  return options;
}

// Sample gradients of one iteration of one worker.
double iteration_cost(const Problem& problem, const AlgorithmDescription& algorithm, Index batch) {
  if (algorithm.gradients_per_iteration > 0)
    return algorithm.gradients_per_iteration * static_cast<double>(batch);
  if (!problem.objective().has_exact_mean())
    throw InputError("the algorithm '" + std::string(algorithm.name) +
                     "' needs full gradients, which this stream has not");
  return static_cast<double>(std::max<Index>(1, problem.objective().sample_count()));
}

Budget::Asking asking_of(const Problem& problem, const SolveOptions& options) {
  if (options.team) return Budget::Asking::after_chunks;
  const LinearModel* model = problem.objective().as_linear_model();
  const bool alone = model && model->shares() && !model->shares()->among;
  return problem.objective().spread_over_processes() && !alone ? Budget::Asking::together
                                                               : Budget::Asking::by_the_clock;
}

// In the place of full gradients; objectives that have these need none.
Index batch_of_a_stream(const Problem& problem, const SolveOptions& options, double budget) {
  if (problem.objective().has_exact_mean()) return standing_batch(budget);
  return standing_batch(budget, samples_that_time_bears(problem, options));
}

// Neither the user's parameters nor the theory's, nor a rival's.
bool chooses_parameters(const SolveOptions& options, const AlgorithmDescription& algorithm) {
  return options.source == ParameterSource::automatic && !algorithm.baseline;
}

}  // namespace

RunParts::RunParts(const Problem& stated, const SolveOptions& said, Observer& watching, double spent)
    : observer(watching),
      algorithm(algorithm_of(said)),
      outlook(bridle::outlook(stated, said, chooses_parameters(said, algorithm), spent)),
      problem(problem_of(stated, said, outlook)),
      workers(choose_workers(problem.working(), said, algorithm)),
      batch(batch_for(problem.working(), said, algorithm, workers)),
      options(with_batch(said, batch.samples)),
      cost(static_cast<double>(workers) * iteration_cost(problem.working(), algorithm, options.batch)),
      budget(choose_budget(stated, options, cost), watching, asking_of(stated, said), options.clock),
      oracle(problem.working(), batch_of_a_stream(problem.working(), options, budget.samples()),
             options.seed),
      candidates(problem, options, budget, oracle, state.judged),
      closing(problem, options, budget, oracle, candidates),
      second(problem, options, chooses_parameters(options, algorithm), budget, candidates,
             state.second_order),
      runner(algorithm, options, workers, cost, state.stage, batch) {
  if (options.tolerance == unsaid && second.shortens_loop()) candidates.expect(sharp_tolerance);
  state.samples = outlook.samples;
  if (outlook.samples > 0)
    say(formatted("the time does not bear all samples: the loop works on %td of %td, drawn at random",
                  outlook.samples, stated.objective().sample_count()));
}

Candidate RunParts::here() const {
  return {runner.form().to_original(runner.iterate().x),
          runner.form().multipliers_to_original(runner.iterate().y)};
}

LastPoint RunParts::last_point() const {
  const OriginalState now = sound() ? runner.in_original_units() : state.good;
  const Vector columns = sound() ? runner.form().column_scale() : Vector(Vector::Ones(state.good.x.size()));
  // Steps that got nowhere leave the loop's end: the judge knows.
  const auto& best = state.judged.best;
  const bool got_somewhere = !sound() || !best || best->found_by == FoundBy::second_order;
  if (second_order_was_last() && got_somewhere)
    return {second.x(), second.x(), second.multipliers(), columns, state.stage.curvature};
  return {now.x, now.z, now.multipliers, columns, state.stage.curvature};
}

void RunParts::expect_less() {
  if (options.tolerance != unsaid || candidates.tolerance() == ordinary_tolerance) return;
  candidates.expect(ordinary_tolerance);
  say(state.second_order.ran
          ? "second-order steps did not reach 1e-6: the tolerance is 1e-4"
          : "second-order steps, which may reach 1e-6, were not taken: the tolerance is 1e-4");
}

void RunParts::say(const std::string& event) {
  state.events.push_back(event);
  observer.event(event);
}

void RunParts::note(const std::string& event) {
  say("stage " + std::to_string(state.stage.number + 1) + ": " + event);
}

}  // namespace bridle
