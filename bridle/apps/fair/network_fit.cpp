#include "bridle/apps/fair/network_fit.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <Eigen/Cholesky>
#include <fmt/format.h>

#include "bridle/apps/fair/telling.hpp"
#include "bridle/run/rounds.hpp"

namespace bridle {
namespace {

constexpr int steps_at_a_time = 20;  // between looks at the run
constexpr double met = 1e-12;        // of a bound: a covariance this near to it meets it
constexpr int most_projections = 20;

struct Trained {
  SmoothSteps steps;
  std::uint64_t seed = 0;
  double value = infinity;
};

// Covariances are linear in the weights of the output: those beyond their bounds are put right by the
// smallest change of these weights.
void meet_covariances(const FairProblem& problem, const Problem& stated, const Vector& bounds, Vector& w) {
  const Index first = problem.scorer().first_linear_weight();
  for (int k = 0; k < most_projections && bounds.size() > 0; ++k) {
    const SmoothPoint at = stated.smooth_rows().at(w);
    std::vector<Index> beyond;
    std::vector<double> change;
    for (Index r = 0; r < bounds.size(); ++r) {
      const double excess = std::abs(at.value[r]) - bounds[r];
      // Rows that stand at their bounds stay there.
      if (excess < -met * std::abs(bounds[r]) - 1e-15) continue;
      beyond.push_back(r);
      change.push_back(at.value[r] > 0 ? -excess : excess);
    }
    if (std::all_of(change.begin(), change.end(), [](double c) { return std::abs(c) <= 1e-15; })) return;
    Matrix rows = Matrix(at.jacobian)(beyond, Eigen::all);
    rows.leftCols(first).setZero();
    Matrix gram = rows * rows.transpose();
    gram.diagonal() *= 1 + 1e-9;
    const Vector step = rows.transpose() * gram.ldlt().solve(Eigen::Map<const Vector>(
                                               change.data(), static_cast<Index>(change.size())));
    if (!step.allFinite() || step.isZero(0)) return;
    w += step;
  }
}

// How far the worst covariance is beyond its bound.
double beyond_bounds(const FairProblem& problem, const Vector& bounds, const Vector& w) {
  if (bounds.size() == 0) return 0;
  return std::max(0.0, (problem.covariances(w).cwiseAbs() - bounds).maxCoeff());
}

Trained train_from(const FairProblem& problem, const Problem& stated, const Vector& bounds,
                   const StepPlan& plan, const SolveOptions& options, int number, Telling& telling,
                   double& samples) {
  const std::uint64_t seed = options.seed + static_cast<std::uint64_t>(number);
  const double scale = gradient_scale_at(problem, first_weights(problem, seed));
  double passes = 0;
  Trained out{SmoothSteps(first_weights_after_passes(problem, seed, options, passes), stated.row_count()),
              seed};
  samples += passes;
  telling.spend(0, passes);
  telling.begin(fmt::format("model {}", number + 1), seed, out.steps);
  SmoothStepOptions how = step_options(problem, plan, scale, [&] { return telling.interrupted(); });
  how.most_steps = steps_at_a_time;
  for (int left = plan.steps_of_last_round; left > 0; left -= steps_at_a_time) {
    const int before = out.steps.steps();
    const bool converged = out.steps.take(stated, how);
    out.value = problem.objective().mean_value(out.steps.x()).value_or(infinity);
    telling.row(out.steps, stated, beyond_bounds(problem, bounds, out.steps.x()));
    if (converged || out.steps.steps() - before < steps_at_a_time) break;
  }
  return out;
}

// Why the best of the starts ended above the tolerance, and what to do about it.
std::string advice_on(const Trained& best, const StepPlan& plan, const Certificate& certificate) {
  const int steps = best.steps.steps();
  const std::string end = steps < plan.steps_of_last_round
                              ? fmt::format("after {} steps none leads further down", steps)
                              : fmt::format("its {} steps, the most of a start, are spent", steps);
  return "the best of the starts ends here: " + end +
         "; a larger ridge or a smaller network is sooner at rest, another seed starts elsewhere" +
         tolerance_met_by(certificate);
}

}  // namespace

Result fit_network(const FairProblem& problem, const Vector& bounds, const SolveOptions& options,
                   Observer* observer) {
  const Problem stated = bounds.size() > 0 ? problem.with_bounds(bounds) : problem.without_bounds();
  const double tolerance = options.tolerance == unsaid ? ordinary_tolerance : options.tolerance;
  const StepPlan plan = StepPlan::of(problem, tolerance);
  const auto people = static_cast<double>(problem.features().rows());
  const int starts = starts_for(problem);
  Telling telling(observer, problem, starts, options.absolute);
  if (observer)
    observer->started({.budget = people * starts * plan.steps_of_last_round,
                       .algorithm = "smooth rows",
                       .regime = "network",
                       .resumed = false});
  Result result;
  std::optional<Trained> best;
  int steps = 0;
  for (int k = 0; k < starts && !(best && telling.interrupted()); ++k) {
    Trained one = train_from(problem, stated, bounds, plan, options, k, telling, result.samples);
    steps += one.steps.steps();
    if (!best || one.value < best->value) best = std::move(one);
  }
  result.x = best->steps.x();
  meet_covariances(problem, stated, bounds, result.x);
  const double working = telling.seconds();
  result.phases[Phase::start].sample_gradients = result.samples;  // of passes before the steps
  result.certificate =
      judged_from(first_weights(problem, best->seed), stated, result.x, best->steps.multipliers(),
                  {.improve_multipliers = true, .absolute = options.absolute});
  result.y = result.certificate.multipliers;
  result.tolerance = tolerance;
  result.status = telling.interrupted()                 ? Status::interrupted
                  : result.certificate.holds(tolerance) ? Status::stationary
                                                        : Status::budget_exhausted;
  if (result.status == Status::budget_exhausted) result.advice = advice_on(*best, plan, result.certificate);
  result.second_order.iterations = steps;
  result.second_order.ended = "best of the starts";
  result.samples += steps * people;
  describe_fit(result, stated, options.seed, {working, telling.seconds() - working});
  telling.result(result, beyond_bounds(problem, bounds, result.x));
  return result;
}

}  // namespace bridle
