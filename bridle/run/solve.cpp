#include "bridle/run/solve.hpp"

#include <cstdio>

#include "bridle/core/error.hpp"
#include "bridle/run/budget.hpp"
#include "bridle/run/logistic_start.hpp"
#include "bridle/run/single_run.hpp"

namespace bridle {
namespace {

// One run, begun at a logistic model where that is wise.
Result run_once(const Problem& problem, const SolveOptions& options, Observer& observer) {
  if (!wants_logistic_start(problem, options)) return single_run(problem, options, observer);
  SolveOptions rest = options;
  const LogisticStart start = logistic_start(problem, rest, observer);
  const std::string event = "start: the loss is flat far out, so the run begins at a logistic model";
  observer.event(event);
  Problem started = problem;
  Result result = single_run(started.start_from(start.x), rest, observer);
  result.events.insert(result.events.begin(), event);
  result.samples += start.samples;
  result.certificate_samples += start.certificate_samples;
  result.solve_seconds += start.seconds;
  return result;
}

constexpr int most_rounds = 7;  // 4096 times the first budget

// Until the tolerance is met: again from where the last run got to, with four times the budget.
Result run_growing(const Problem& problem, const SolveOptions& options, Observer& observer) {
  const Stopwatch watch;
  Result best = run_once(problem, options, observer);
  SolveOptions next = options;
  Problem warm = problem;
  for (int round = 2; round <= most_rounds && best.status == Status::budget_exhausted; ++round) {
    next.seconds = options.seconds > 0 ? options.seconds - watch.seconds() : 0;
    if (options.seconds > 0 && next.seconds <= 0) break;
    next.samples = 4 * (round == 2 ? best.samples : next.samples);
    next.epochs = 0;
    next.start_multipliers = best.y;
    char text[120];
    std::snprintf(text, sizeof text, "error %.2g: again from there with %.3g samples",
                  best.certificate.error(), next.samples);
    observer.event(text);
    Result result = run_once(warm.start_from(best.x), next, observer);
    result.events.insert(result.events.begin(), text);
    result.events.insert(result.events.begin(), best.events.begin(), best.events.end());
    result.samples += best.samples;
    result.certificate_samples += best.certificate_samples;
    result.iterations += best.iterations;
    result.solve_seconds += best.solve_seconds;
    result.certify_seconds += best.certify_seconds;
    if (result.status == Status::budget_exhausted && best.certificate.error() < result.certificate.error()) {
      result.x = best.x;  // more budget never makes it worse
      result.y = best.y;
      result.certificate = best.certificate;
      result.found_by = best.found_by;
      result.second_order = best.second_order;
    }
    best = std::move(result);
  }
  return best;
}

}  // namespace

Result solve(const Problem& problem, const SolveOptions& options, Observer* observer) {
  Observer silent;
  Observer& watching = observer ? *observer : silent;
  if (!options.grow) return run_once(problem, options, watching);
  if (!options.checkpoint.empty()) throw InputError("a growing budget and a checkpoint do not go together");
  return run_growing(problem, options, watching);
}

}  // namespace bridle
