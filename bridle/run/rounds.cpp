#include "bridle/run/rounds.hpp"

#include <cmath>

#include "bridle/algorithms/registry.hpp"
#include "bridle/core/archive.hpp"
#include "bridle/core/formatted.hpp"
#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/run/budget.hpp"
#include "bridle/run/checkpoint.hpp"
#include "bridle/run/round_ends.hpp"
#include "bridle/run/second_order.hpp"
#include "bridle/run/single_run.hpp"
#include "bridle/run/state.hpp"

namespace bridle {
namespace {

constexpr double most_growth = 4096;      // times the first budget
constexpr double most_numbers = 1e11;     // that a run touches: some minutes
constexpr double numbers_of_a_step = 50;  // that take as long as a step's own overhead
constexpr Index few_rows = 10;

// The error rounded up to one digit: a tolerance that the point would meet.
double met_tolerance(double error) {
  if (!(error > 0) || !std::isfinite(error)) return error;
  const double digit = std::pow(10.0, std::floor(std::log10(error)));
  return std::ceil(error / digit - 1e-9) * digit;
}

struct Saved {
  Plan plan;
  double seconds;
};
Saved saved_in(const std::string& payload, const std::string& file) {
  RunState state;
  Spending spent;
  ArchiveReader{payload, file}(state, spent);
  return {state.plan, spent.seconds};
}

}  // namespace

bool goes_on_until_certified(const SolveOptions& options) {
  if (options.grow) return true;
  const bool unlimited = options.samples == 0 && options.epochs == 0 && options.seconds == 0;
  const AlgorithmDescription* algorithm = find_algorithm(options.algorithm);
  return unlimited && options.output == Output::best && options.source == ParameterSource::automatic &&
         algorithm && !algorithm->baseline && !options.diagnose;
}

double most_samples(const Problem& problem, double first_budget) {
  const LinearModel* model = problem.objective().as_linear_model();
  double numbers = numbers_of_a_step;
  numbers += model ? model->entries() / static_cast<double>(std::max<Index>(1, model->sample_count()))
                   : static_cast<double>(problem.dimension());
  if (problem.rows().count() > few_rows)
    numbers += static_cast<double>(problem.rows().matrix.nonZeros() + problem.dimension());
  return std::min(most_growth * first_budget, std::max(first_budget, most_numbers / numbers));
}

bool batch_is_the_limit(const Certificate& certificate, double tolerance) {
  return certificate.halfwidth() > tolerance && certificate.estimate() <= certificate.halfwidth();
}

std::string tolerance_met_by(const Certificate& certificate) {
  const double error = certificate.error();
  return std::isfinite(error) ? formatted("; the point meets a tolerance of %.1g", met_tolerance(error)) : "";
}

std::string advice(StoppedBy reason, double samples, const Certificate& certificate) {
  std::string out;
  switch (reason) {
    case StoppedBy::samples:
      out = formatted("the budget is spent, %.4g samples: a larger one, or none, goes further", samples);
      break;
    case StoppedBy::first_budget:
      out = formatted(
          "the first budget is spent, %.4g samples, and only Algorithms 1 to 4 with automatic parameters go "
          "on by themselves: a budget of your own goes further",
          samples);
      break;
    case StoppedBy::seconds:
      out = formatted("the time is over, after %.4g samples: more of it, or no limit, goes further", samples);
      break;
    case StoppedBy::ceiling:
      out = formatted(
          "a run without a budget ends here, after %.4g samples, although the error still falls: "
          "a budget of your own goes further",
          samples);
      break;
    case StoppedBy::stall:
      out = formatted(
          "four times the samples have twice not lowered the error, %.4g samples in all: more of "
          "them will hardly help",
          samples);
      break;
    case StoppedBy::batch:
      out = formatted(
          "the judge sees this problem through a batch of samples, which leaves an error of %.1g open "
          "whatever the point (%.2g by itself): a budget does not help, a larger tolerance does",
          certificate.halfwidth(), certificate.estimate());
      break;
  }
  return out + tolerance_met_by(certificate);
}

Result run_in_rounds(const Problem& problem, const SolveOptions& options, Observer& user) {
  RoundEnds observer(user);
  const bool goes_on = goes_on_until_certified(options);
  Continuation state{.keep = goes_on};
  if (!options.checkpoint.empty()) state.fingerprint = fingerprint(problem, options);
  SolveOptions round = options;
  const double first = goes_on ? choose_budget(problem, options, 1).samples : 0;
  double total = first;
  if (options.resume && !options.checkpoint.empty())
    if (auto payload = read_checkpoint(options.checkpoint, state.fingerprint)) {
      state.before = std::move(*payload);
      state.resumed = true;
      const auto [plan, seconds] = saved_in(state.before, options.checkpoint);
      state.seconds_spent = seconds;
      if (goes_on && plan.round > 1) {
        state.round = plan.round;
        round.samples = total = plan.samples;
        round.epochs = 0;
      }
    }

  Result result = single_run(problem, round, observer, state);
  StoppedBy reason = follows_the_clock(options)                    ? StoppedBy::seconds
                     : options.samples == 0 && options.epochs == 0 ? StoppedBy::first_budget
                                                                   : StoppedBy::samples;
  double before = infinity;
  int stalled = 0;
  const auto limited = [&] { return batch_is_the_limit(result.certificate, result.tolerance); };
  while (goes_on && result.status == Status::budget_exhausted && !limited()) {
    if (options.seconds > 0 &&
        options.seconds_used + result.solve_seconds + result.certify_seconds >= options.seconds) {
      reason = StoppedBy::seconds;
      break;
    }
    stalled = result.certificate.error() > worth_going_on * before ? stalled + 1 : 0;
    before = std::min(before, result.certificate.error());
    total = next_round(total, first);
    if (stalled >= patient_rounds || total > most_samples(problem, first)) {
      reason = stalled >= patient_rounds ? StoppedBy::stall : StoppedBy::ceiling;
      break;
    }
    observer.go_on();
    observer.event(formatted("error %.2g after %.4g samples: it goes on, to %.4g samples",
                             result.certificate.error(), result.samples, total));
    round.samples = total;
    round.epochs = 0;
    ++state.round;
    state.resumed = false;
    state.before = std::move(state.after);
    state.seconds_spent = result.solve_seconds + result.certify_seconds;
    result = single_run(problem, round, observer, state);
  }
  observer.end();
  if (result.status == Status::budget_exhausted)
    result.advice = advice(limited() ? StoppedBy::batch : reason, result.samples, result.certificate);
  // Parameters that are given are for the loop alone, and whoever wrote them down may have had more.
  if (!result.advice.empty() && options.source == ParameterSource::given &&
      SecondOrder::expected_seconds(problem, options))
    result.advice += "; without --params FILE second-order steps would follow the loop";
  return result;
}

}  // namespace bridle
