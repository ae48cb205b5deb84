#include "bridle/run/second_order.hpp"

#include <algorithm>

#include "bridle/core/formatted.hpp"
#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/second/improve.hpp"

namespace bridle {
namespace {

constexpr double nanoseconds_per_nonzero =
    2;  // of a pass over data in memory, before a run has measured its own
// The loop before it. A convex objective has one basin: this many samples come near enough. Of others one
// pass over the data finds one, or as many samples of few. But a step may take as long as all variables:
// where these are many, the loop gets a share of the time that the phase will take.
constexpr double samples_before = 5000, few_variables = 1000, share_of_phase = 0.25;
// Where that is less than half of a convex sum, getting the samples ready for the loop takes longer than the
// loop, and as long as the steps that it would save: then there is none.
constexpr double too_few = 0.5;

double samples_before_phase(const AnyObjective& objective, const second::Cost& cost) {
  const auto n = static_cast<double>(objective.dimension()),
             count = static_cast<double>(objective.sample_count());
  const double wanted = objective.convex() ? samples_before : std::max(count, samples_before);
  const double entries = cost.seconds / (1e-9 * nanoseconds_per_nonzero);
  return std::min(wanted,
                  std::max(samples_before * std::min(1.0, few_variables / n), share_of_phase * entries / n));
}

constexpr double loop_over_pass = 4;  // time of a sample in the loop, over that in a pass over all of them
// The phase may take as long as the loop would, or this many seconds; where the user has set no budget, ten
// times that; of a time limit it may take half.
constexpr double short_time = 1, patience = 10, share_of_limit = 0.5;

double bearable_seconds(const SolveOptions& options, double loop_seconds) {
  if (options.seconds > 0) return share_of_limit * (options.seconds - options.seconds_used);
  const bool free = options.samples == 0 && options.epochs == 0;
  return (free ? patience : 1) * std::max(short_time, loop_seconds);
}

}  // namespace

SecondOrder::SecondOrder(const RunProblem& problem, const SolveOptions& options, bool own_parameters,
                         Budget& budget, Candidates& candidates, SecondOrderFigures& figures)
    : problem_(problem), budget_(budget), candidates_(candidates), figures_(figures) {
  if (!options.second_order || !options.finish || options.output != Output::best || !own_parameters) return;
  const AnyObjective& objective = problem.user.objective();
  const LinearModel* model = objective.as_linear_model();
  if (model ? model->batches_are_spread() : objective.spread_over_processes()) {
    reason_.why = "no second-order steps: the samples are spread over processes";
    return;
  }
  if (problem.share) {
    reason_.why = "no second-order steps: the time does not bear them";
    return;
  }
  if (const second::Applies answer = second::applies(problem.working()); !answer) {
    reason_.why = "no second-order steps: " + answer.reason;
    return;
  }
  const second::Cost cost = second::estimate_cost(problem.working(), nanoseconds_per_nonzero);
  reason_.value = cost.seconds;
  hessian_passes_ = cost.hessian_passes;
  planned_ = true;
  if (objective.deterministic() && problem.working().has_smooth_rows()) {
    shortens_loop_ = true;
    loop_samples_ = std::min(samples_before, budget.samples());
    return;
  }
  if (objective.deterministic() || objective.sample_count() == endless) return;
  const auto count = static_cast<double>(objective.sample_count());
  loop_samples_ = std::min(samples_before_phase(objective, cost), budget.samples());
  const double sample_seconds = cost.sample_gradients > 0 ? cost.seconds / cost.sample_gradients : 0;
  const double bearable = bearable_seconds(options, loop_over_pass * budget.samples() * sample_seconds);
  // Where the user has set no budget in samples, it is a guess at the loop's speed, and time decides.
  const bool bears_a_pass = count <= budget.samples() || (options.samples == 0 && options.epochs == 0);
  const bool bends = problem.working().has_smooth_rows();
  planned_ = shortens_loop_ = (bends && !bears_a_pass) || (bears_a_pass && cost.seconds <= bearable);
  replaces_loop_ =
      planned_ && (bends ? !bears_a_pass : objective.convex() && loop_samples_ < too_few * count);
  reason_.why =
      replaces_loop_ ? formatted("second-order steps in place of the loop: about %.2g s", cost.seconds)
      : planned_
          ? formatted("second-order steps after %.4g samples: about %.2g s", loop_samples_, cost.seconds)
      : !bears_a_pass ? "no second-order steps: the budget does not bear one pass over the data"
                      : formatted("no second-order steps: about %.2g s, and the budget bears %.2g s",
                                  cost.seconds, bearable);
}

std::optional<double> SecondOrder::expected_seconds(const Problem& problem, const SolveOptions& options) {
  if (!options.second_order || !options.finish || !second::applies(problem)) return {};
  const double seconds = second::estimate_cost(problem, nanoseconds_per_nonzero).seconds;
  return seconds <= bearable_seconds(options, 0) ? std::optional(seconds) : std::nullopt;
}

double SecondOrder::loop_budget(double whole) const {
  return shortens_loop_ ? std::min(whole, loop_samples_) : whole;
}

bool SecondOrder::may_be_a_saddle() const { return planned_ && !problem_.user.objective().convex(); }

bool SecondOrder::run(const LastPoint& last) {
  const auto turn = budget_.turn(Phase::second_order);
  const double spent_before = budget_.spent_until_now().phases[Phase::second_order].seconds;
  second::Options how;
  how.tolerance = candidates_.goal();
  how.stop = [&] { return budget_.stop(); };
  how.judge = [&](const Vector& x, const Vector& multipliers) {
    candidates_.show({x, multipliers}, FoundBy::second_order);
    return candidates_.judged().latest->certificate.error();
  };
  second::Outcome outcome = second::improve(problem_.working(), {last.x, last.multipliers}, how);
  // Where rows bend, the loop may have ended in another valley than the one that the start is in.
  if (problem_.working().has_smooth_rows() && !candidates_.satisfied() && !budget_.stop()) {
    second::Outcome other = second::improve(problem_.working(), {problem_.working().starting_point()}, how);
    outcome.spent += other.spent;
    if (other.error < outcome.error) {
      other.spent = outcome.spent;
      outcome = std::move(other);
    }
  }
  if (outcome.spent.iterations > 0 && outcome.x.allFinite() && !candidates_.satisfied() &&
      !budget_.interrupted())
    candidates_.show({outcome.x, outcome.multipliers}, FoundBy::second_order);
  x_ = outcome.x.allFinite() ? outcome.x : last.x;
  multipliers_ = outcome.multipliers;
  at_rest_ = outcome.end == second::End::at_rest && outcome.error <= ordinary_tolerance;
  fell_away_ = (outcome.end == second::End::out_of_iterations || outcome.end == second::End::not_finite) &&
               outcome.saddles_left > 0 && !problem_.user.objective().convex();
  figures_.ran = true;
  figures_.iterations = outcome.spent.iterations;
  figures_.full_gradients = outcome.spent.full_gradients;
  figures_.hessians = outcome.spent.hessians;
  figures_.hessian_products = outcome.spent.hessian_products;
  figures_.projections = static_cast<double>(outcome.spent.projections);
  figures_.saddles_left = outcome.saddles_left;
  figures_.least_curvature = outcome.least_curvature;
  figures_.ended = second::meaning(outcome.end);
  figures_.seconds = budget_.spent_until_now().phases[Phase::second_order].seconds - spent_before;
  budget_.spent.phases[Phase::second_order] += {.full_gradients = figures_.full_gradients,
                                                .hessians = figures_.hessians,
                                                .hessian_products = figures_.hessian_products,
                                                .projections = figures_.projections};
  const double passes = outcome.spent.full_gradients + outcome.spent.hessian_products +
                        hessian_passes_ * outcome.spent.hessians;
  const Index count = problem_.user.objective().sample_count();
  budget_.spent.samples += passes * static_cast<double>(std::max<Index>(1, count));
  if (candidates_.satisfied()) return true;
  if (outcome.end != second::End::converged) return false;
  // A point no better than a constant model: of a convex loss that is the answer, of another there may be
  // better ones.
  figures_.ended = "at a point no better than a model that answers the same to everything";
  return problem_.user.objective().convex();
}

}  // namespace bridle
