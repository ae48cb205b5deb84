#include "bridle/apps/fair/fit.hpp"

#include <cmath>

#include <fmt/format.h>

#include "bridle/apps/fair/network_fit.hpp"
#include "bridle/certify/certify.hpp"
#include "bridle/finish/feasible_set.hpp"
#include "bridle/run/budget.hpp"
#include "bridle/run/logistic_start.hpp"
#include "bridle/run/round_ends.hpp"
#include "bridle/run/rounds.hpp"

namespace bridle {
namespace {

// Keeps what passes by, and passes it on: somebody who wants no progress has no history either.
class Recorder final : public Observer {
 public:
  Recorder(Observer* next, std::vector<Progress>& history)
      : next_(next ? *next : silent_), history_(history) {}
  void started(const RunInfo& info) override { next_.started(info); }
  void stage(int number, const Stage& stage, const Reasons& reasons) override {
    next_.stage(number, stage, reasons);
  }
  void event(const std::string& text) override { next_.event(text); }
  void warning(const std::string& text) override { next_.warning(text); }
  void progress(const Progress& progress) override {
    history_.push_back(progress);
    next_.progress(progress);
  }
  Wants wants() override { return next_.wants(); }
  bool interrupted() override { return next_.interrupted(); }

 private:
  Observer silent_;
  Observer& next_;
  std::vector<Progress>& history_;
};

Problem stated(const FairProblem& problem, const Vector& bounds) {
  return bounds.size() > 0 ? problem.with_bounds(bounds) : problem.without_bounds();
}

// The tolerance is relative to 1, a bound is often far smaller: whatever the judge let pass is put right by a
// projection, in the metric in which columns weigh as much as the scores they move.
void meet_bounds(const Problem& problem, const LinearModel& model, Result& result) {
  const Stopwatch watch;
  const Certificate before = result.certificate;
  if (!(before.feasibility.absolute > 1e-10)) return;
  const auto feasible = FeasibleSet::of(problem);
  if (!feasible) return;
  const ColumnStatistics& columns = model.column_statistics();
  const Vector weight = columns.frequency.cwiseProduct(columns.magnitude.cwiseAbs2());
  Vector x = feasible->project(result.x, weight.cwiseMax(1e-6 * weight.maxCoeff()), nullptr).x;
  problem.set().project(x);
  PhaseTable phases = result.phases;
  const double projecting = watch.seconds();
  phases[Phase::polish] += {.projections = 1, .seconds = projecting};
  const Certificate after =
      certify(problem, x, result.y, {.improve_multipliers = true, .absolute = result.absolute});
  phases[Phase::judge] += {.full_gradients = 2, .seconds = watch.seconds() - projecting};
  result.account(phases);
  if (after.feasibility.absolute >= before.feasibility.absolute) return;
  result.x = x;
  result.y = after.multipliers;
  result.certificate = after;
  result.found_by = FoundBy::polish;
  if (result.status == Status::stationary || result.status == Status::budget_exhausted)
    result.status = after.holds(result.tolerance) ? Status::stationary : Status::budget_exhausted;
  if (result.status == Status::stationary) result.advice.clear();
}

Result train(const FairProblem& problem, const Vector& bounds, const SolveOptions& options,
             Observer* observer) {
  if (problem.network()) return fit_network(problem, bounds, options, observer);
  Problem stated_problem = stated(problem, bounds);
  Observer silent;
  RoundEnds ends(observer ? *observer : silent);
  Observer* const watching = observer ? &ends : nullptr;
  Result result = solve(stated_problem, options, watching);
  // A nonconvex loss is flat far out, where a run can get stuck above its start: then another start is worth
  // it.
  const bool weighted = problem.training().data.weights.size() > 0;  // logistic starts are for plain models
  if (result.status != Status::interrupted && !weighted &&
      !(result.objective() <= problem.model().mean_value(stated_problem.starting_point()))) {
    const auto ended = ends.held();
    ends.go_on();
    SolveOptions rest = options;
    rest.grow = goes_on_until_certified(options);
    if (rest.seconds > 0)
      rest.seconds =
          std::max(0.01 * rest.seconds, rest.seconds - result.solve_seconds - result.certify_seconds);
    const LogisticStart other = logistic_start(stated_problem, rest, ends);
    Result second = solve(stated_problem.start_from(other.x), rest, watching);
    // Both runs were made, whichever is returned.
    const double samples = result.samples + other.samples + second.samples;
    const double judged = result.certificate_samples + other.certificate_samples + second.certificate_samples;
    PhaseTable phases = result.phases;
    phases += other.phases;
    phases += second.phases;
    const bool interrupted = second.status == Status::interrupted;
    if (second.objective() < result.objective())
      result = std::move(second);
    else
      ends.end_with(ended);
    if (interrupted && result.status != Status::stationary) result.status = Status::interrupted;
    result.samples = samples;
    result.certificate_samples = judged;
    result.account(phases);
  }
  ends.end();
  if (options.finish) meet_bounds(stated_problem, problem.model(), result);
  return result;
}

std::vector<RowFigures> figures_of_rows(const FairProblem& problem, const FairData* test,
                                        const Vector& bounds, const Result& result,
                                        const Vector& test_scores) {
  const Vector covariances = problem.covariances(result.x);
  std::vector<RowFigures> out;
  for (std::size_t k = 0; k < problem.rows().size(); ++k) {
    const FairRow& row = problem.rows()[k];
    const auto i = static_cast<Index>(k);
    const Attribute& attribute = problem.training().data.attributes[row.attribute];
    RowFigures figures;
    figures.row = row.name;
    figures.attribute = attribute.name;
    if (row.group >= 0 && attribute.groups.size() > 2)
      figures.group = attribute.groups[static_cast<std::size_t>(row.group)];
    figures.condition = problem.conditions()[row.condition].name();
    figures.train = covariances[i];
    if (bounds.size() > 0) {
      figures.bound = bounds[i];
      figures.multiplier = result.y[i];
    }
    if (test) {
      const Vector coefficients = row.coefficients(*test);
      figures.test = coefficients.isZero(0) ? std::nan("") : coefficients.dot(test_scores);
    }
    out.push_back(std::move(figures));
  }
  return out;
}

// Everything that is measured of the weights found.
void measure_fit(const FairProblem& problem, const FairData* test, const Vector& bounds, Fit& out) {
  const Loss& loss = problem.statement().loss;
  out.train = measure(problem.training().data, problem.scorer().scores(out.result.x), loss);
  out.warnings = warnings_about(out.train, "the training data");
  Vector test_scores;
  if (test) {
    test_scores = problem.scores(test->features, out.result.x);
    out.test = measure(*test, test_scores, loss);
    for (auto& warning : warnings_about(*out.test, "the test data"))
      out.warnings.push_back(std::move(warning));
  }
  out.rows = figures_of_rows(problem, test, bounds, out.result, test_scores);
}

}  // namespace

double Fit::largest_covariance() const {
  double out = 0;
  for (const auto& row : rows) out = std::max(out, std::abs(row.train));
  return out;
}

std::optional<double> Fit::largest_test_covariance() const {
  if (!test) return {};
  double out = std::nan("");
  for (const auto& row : rows) out = std::fmax(out, std::abs(row.test.value_or(out)));
  return out;
}

Names warnings_about(const Metrics& metrics, const std::string& data) {
  Names out;
  if (metrics.samples == 0) return out;
  if (metrics.selection_rate == 0 || metrics.selection_rate == 1)
    out.push_back(fmt::format("it decides the same for everybody: {} of the {} people of {} are selected",
                              metrics.selection_rate == 0 ? "none" : "all", metrics.samples, data));
  if (metrics.auc < 0.5)
    out.push_back(fmt::format("it ranks people worse than chance on {}: AUC {:.4f}", data, metrics.auc));
  return out;
}

Fit fit(const FairProblem& problem, const FairData* test, const Vector& bounds, const SolveOptions& options,
        Observer* observer) {
  Fit out;
  Recorder recorder(observer, out.history);
  out.result = train(problem, bounds, options, &recorder);
  measure_fit(problem, test, bounds, out);
  return out;
}

Fit fit_to_rates(const FairProblem& problem, const FairData* test, const RateStatement& request,
                 const SolveOptions& options, Observer* observer) {
  Fit out;
  Recorder recorder(observer, out.history);
  RateFit trained = fit_rates(problem, test, request, options, &recorder);
  out.result = std::move(trained.result);
  out.rates = std::move(trained.figures);
  measure_fit(problem, test, {}, out);
  return out;
}

}  // namespace bridle
