#include "bridle/run/candidates.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/run/drawn_objective.hpp"

namespace bridle {
namespace {

constexpr Index many_rows = 2000;
// A stream known through samples only: full gradients are batches, each this share of the budget.
constexpr double batch_share = 0.03, smallest_batch = 1000, largest_batch = 1e5;
constexpr double smallest_timed_batch = 100;    // where time is short; a mean of fewer has no normal error
constexpr double share_of_the_last_word = 0.1;  // of a time limit
constexpr double on_the_rows = 1e-9;            // relative feasibility
constexpr double as_good = 10;                  // errors within this factor may be luck
constexpr double much = 1e-3;                   // of f
constexpr double visit_growth = 0.2;            // of the samples spent, between two visits
constexpr double costs_between_visits = 20;
// Over all variables: scales, prices, multipliers, stationarity. 0.08 s for a million of them beside the
// gradient, with room, so that he takes 3% of a run.
constexpr double passes_of_the_judge = 150;

// A quick look: what may be touched, and the samples it is about.
constexpr double quick_numbers = 1e8;
constexpr Index fewest_quick_samples = 100;

}  // namespace

Index standing_batch(double budget, double bearable) {
  const double smallest = is_finite(bearable) ? smallest_timed_batch : smallest_batch;
  const double batch = std::floor(batch_share * std::min(budget, bearable));
  return static_cast<Index>(std::clamp(batch, smallest, largest_batch));
}

Candidates::Candidates(const RunProblem& problem, const SolveOptions& options, Budget& budget,
                       const Oracle& oracle, JudgedPoints& judged)
    : problem_(problem),
      options_(options),
      budget_(budget),
      judged_(judged),
      samples_only_(!problem.user.objective().has_exact_mean()),
      pass_cost_(oracle.pass_cost()) {
  judged.tolerance = options.tolerance == unsaid ? ordinary_tolerance : options.tolerance;
}

// Points are compared on a batch that the budget can bear; what is returned is judged on a large, fresh one.
const Judge& Candidates::judge_for(bool thoroughly) {
  const bool quick = compares_on_batches() && !thoroughly;
  std::optional<Judge>& judge = quick ? quick_ : thorough_;
  if (!judge) {
    CertifyOptions how{.improve_multipliers = options_.refit_multipliers,
                       .absolute = options_.absolute,
                       .seed = options_.seed};
    if (quick) {
      how.batch = static_cast<Index>(pass_cost_);
      how.seed = options_.seed + 1'000'003;
    } else {
      how.batch = samples_of_the_last_word();
    }
    judge.emplace(problem_.user, how);
    bool& charged = quick ? judged_.quick_origin_charged : judged_.thorough_origin_charged;
    if (!charged)
      charge(samples_only_ && !quick ? static_cast<double>(how.batch) : pass_cost_, samples_only_);
    charged = true;
  }
  return *judge;
}

// Of samples, or of full gradients that cost as many.
void Candidates::charge(double gradients, bool samples) {
  budget_.spent.certificate_samples += gradients;
  seen_ += gradients;
  PhaseSpending& row = budget_.spent.phases[Phase::judge];
  (samples ? row.sample_gradients : row.full_gradients) += samples ? gradients : gradients / pass_cost_;
}

JudgedPoint Candidates::judge(const Vector& x, const Vector& y, FoundBy found_by, bool thoroughly) {
  const double before = seconds();
  JudgedPoint point{x, {}, found_by};
  {
    const auto turn = budget_.turn(Phase::judge);
    point.certificate = judge_for(thoroughly)(x, y);
  }
  charge(static_cast<double>(point.certificate.gradients), samples_only_);
  seconds_ += seconds() - before;
  ++visits_;
  return point;
}

bool Candidates::show(const Candidate& candidate, FoundBy found_by) {
  return take(judge(problem_.to_user(candidate.x), candidate.y, found_by, false));
}

Index Candidates::show_quickly(const std::vector<std::pair<Candidate, FoundBy>>& candidates, double seconds) {
  const AnyObjective& objective = problem_.user.objective();
  const Index count = objective.sample_count();
  double sample_seconds = budget_.seconds_per_sample();
  if (sample_seconds == 0)  // no loop: a visit has a gradient, a value, and the gradient at the origin
    sample_seconds = seconds_of_a_visit() / (3 * static_cast<double>(count));
  const auto n = static_cast<double>(problem_.user.dimension());
  const bool slow = static_cast<double>(count) * sample_seconds > seconds;
  if (samples_only_ || count == endless || count == 1 || !slow || objective.spread_over_processes() ||
      options_.team) {
    for (const auto& [candidate, found_by] : candidates) show(candidate, found_by);
    return 0;
  }
  const auto looks = static_cast<double>(1 + candidates.size());  // and one at the origin
  const auto batch = std::clamp(
      static_cast<Index>(std::min(quick_numbers / n, seconds / looks / std::max(sample_seconds, 1e-9))),
      std::min(fewest_quick_samples, count), count);
  const Problem sampled = problem_.user.with_objective(drawn_from(objective, batch, options_.seed));
  const auto turn = budget_.turn(Phase::judge);
  const Stopwatch watch(options_.clock);
  const Judge judge(sampled, {.improve_multipliers = options_.refit_multipliers,
                              .absolute = options_.absolute,
                              .batch = batch,
                              .seed = options_.seed});
  charge(looks * static_cast<double>(batch), true);
  for (const auto& [candidate, found_by] : candidates) {
    const Vector x = problem_.to_user(candidate.x);
    take({x, judge(x, candidate.y), found_by});
    ++visits_;
  }
  seconds_ += watch.seconds();
  return batch;
}

bool Candidates::take(JudgedPoint point) {
  bool enough = good_enough(point.certificate) && !trivial(point);
  if (enough && compares_on_batches()) {
    confirm(point);
    enough = good_enough(point.certificate);
  }
  const auto keep_the_better = [&](std::optional<JudgedPoint>& kept) {
    if (!kept || better(point, *kept)) kept = point;
  };
  keep_the_better(judged_.best);
  if (point.certificate.feasibility.relative <= on_the_rows) {
    keep_the_better(judged_.best_feasible);
    auto& lowest = judged_.lowest_feasible;
    const auto will_do = [&](const JudgedPoint& one) {
      return error_of(one) <= judged_.tolerance || alike(one, *judged_.best_feasible);
    };
    if (!lowest || !will_do(*lowest) ||
        (point.certificate.objective < lowest->certificate.objective && will_do(point)))
      lowest = point;
  }
  judged_.latest = std::move(point);
  if (watch_) watch_(*judged_.latest);
  return enough;
}

// A batch is the same for all points, and so is its interval, which may hide every difference between them.
bool Candidates::better(const JudgedPoint& one, const JudgedPoint& other) const {
  const bool enough = good_enough(one.certificate), other_enough = good_enough(other.certificate);
  return enough == other_enough ? estimate_of(one) < estimate_of(other) : enough;
}

bool Candidates::trivial(const JudgedPoint& point) const {
  const LinearModel* model = problem_.user.objective().as_linear_model();
  if (!model) return false;
  if (!constant_loss_) constant_loss_ = model->constant_loss();
  return !(point.certificate.objective < *constant_loss_ - 1e-3 * std::abs(*constant_loss_));
}

// Both are what the run aims at, or both meet the tolerance, or both miss it, by a factor that may be luck.
bool Candidates::alike(const JudgedPoint& one, const JudgedPoint& best) const {
  for (const double met : {goal(), judged_.tolerance})
    if (error_of(best) <= met && error_of(one) > met) return false;
  return estimate_of(one) <= as_good * estimate_of(best);
}

const JudgedPoint& Candidates::choice() const {
  if (!options_.finish) return *judged_.best;  // the loop's best, by the judge's figures alone
  const auto& [feasible, lowest] = std::tie(judged_.best_feasible, judged_.lowest_feasible);
  if (!feasible) return *judged_.best;
  const double f = judged_.best->certificate.objective, lower = lowest->certificate.objective;
  // A certified point that is much better is better, whatever the last digits of its certificate.
  if (error_of(*lowest) <= judged_.tolerance && lower < f - much * std::abs(f)) return *lowest;
  if (!alike(*feasible, *judged_.best)) return *judged_.best;
  const double near = feasible->certificate.objective;
  const bool clearly_lower = lower < near - 1e-6 * (1 + std::abs(near));
  return clearly_lower && alike(*lowest, *judged_.best) ? *lowest : *feasible;
}

void Candidates::confirm(JudgedPoint& point) {
  if (compares_on_batches() && point.certificate.gradients <= static_cast<Index>(pass_cost_))
    point = judge(point.x, point.certificate.multipliers, point.found_by, true);
}

Index Candidates::samples_of_the_last_word() const {
  const auto many = static_cast<double>(CertifyOptions().batch);
  if (!samples_only_ || !budget_.has_deadline()) return static_cast<Index>(many);
  // He looks at the origin too, and takes values beside gradients.
  const double a_sample = seen_ > 0 ? seconds_ / seen_ : 2 * budget_.seconds_per_sample();
  const double bearable = share_of_the_last_word * options_.seconds / (2 * std::max(a_sample, 1e-12));
  return static_cast<Index>(std::clamp(bearable, smallest_timed_batch, many));
}

double Candidates::seconds_of_the_last_word() const {
  if (!compares_on_batches() || seen_ == 0) return 0;
  const double looks = judged_.thorough_origin_charged ? 1 : 2;
  return looks * static_cast<double>(samples_of_the_last_word()) * seconds_ / seen_;
}

// Numbers that a sample's gradient touches; a pass over all variables costs a fifth of touching as many here
// and there.
double Candidates::samples_worth_a_pass() const {
  const auto n = static_cast<double>(problem_.user.dimension());
  const LinearModel* model = problem_.user.objective().as_linear_model();
  if (!model || model->batches_are_spread()) return 1;
  const double touched = model->entries() / static_cast<double>(model->sample_count());
  return std::max(1.0, 0.2 * n / std::max(touched, 1.0));
}

// His full gradient, his own passes over the variables, and with very many rows the fit of the multipliers,
// some thousand passes over the rows. By samples, not by the clock: a run ends where it ended before.
void Candidates::plan_next_visit() {
  const Rows& rows = problem_.user.rows();
  const double passes = rows.count() > many_rows ? 1000 : 0;
  const auto entries = static_cast<double>(rows.matrix.nonZeros());
  const double cost = pass_cost_ + passes * entries / static_cast<double>(problem_.user.dimension()) +
                      passes_of_the_judge * (samples_worth_a_pass() - 1);
  const double interval = costs_between_visits * cost;
  judged_.next_visit = budget_.spent.samples + std::max(interval, visit_growth * budget_.spent.samples);
}

// Without noise an iteration is cheap and a sharper answer costs little.
double Candidates::goal() const {
  return (problem_.user.objective().deterministic() ? 0.01 : 1.0) * judged_.tolerance;
}

}  // namespace bridle
