#include "bridle/run/closing.hpp"

#include "bridle/finish/projector.hpp"
#include "bridle/finish/rays.hpp"
#include "bridle/problem/objectives/quadratic.hpp"
#include "bridle/run/sample_average.hpp"
#include "bridle/run/smaller_conflict.hpp"
#include "bridle/second/improve.hpp"

namespace bridle {
namespace {

constexpr double batches = 10;  // of a stream known through samples only
constexpr Index small = 2000;   // variables and rows
constexpr double most_gradients_small = 4000, most_gradients = 60;
constexpr double polish_share = 0.1;       // of the budget
constexpr double gradients_of_steps = 20;  // whole batches that second-order steps on a batch take
constexpr double least_batch = 100, first_share_of_batch = 0.1, share_of_finding = 0.4;
constexpr double well_enough = 0.01;   // an error that speaks of noise, not of another place
constexpr int rounds_around = 8;       // of linear rows around the best point
constexpr double worth_a_round = 0.9;  // of the error, that is worth another round
constexpr double far = 1e6;            // times the numbers of the problem
constexpr double quick_system = 5e4;   // entries: factorised in milliseconds
// Of a time limit: the polish's share, and the most that all of the closing may take.
constexpr double polish_share_of_time = 0.05, closing_share_of_time = 0.3, small_share_of_time = 0.1;
constexpr double quick_seconds = 0.5, quick_share_of_time = 0.1;
constexpr double passes_of_a_visit = 3;  // gradient, value, and the gradient at the origin
// The polish begins with projections of the last x and z, and three steps from each that the judge sees; a
// gradient after that has a visit of his.
constexpr double passes_of_the_first_steps = 20, passes_of_a_step = 5, first_gradients = 2;
double passes_of_the_polish(double gradients) {
  return passes_of_the_first_steps + passes_of_a_step * std::max(0.0, gradients - first_gradients);
}
constexpr double step_over_pass = 4;  // time of a sample in the loop, over that in a pass over all of them

}  // namespace

Closing::Closing(const RunProblem& problem, const SolveOptions& options, Budget& budget, Oracle& oracle,
                 Candidates& candidates)
    : problem_(problem), options_(options), budget_(budget), oracle_(oracle), candidates_(candidates) {
  if (!budget.has_deadline()) return;
  pass_estimate_ = bridle::seconds_of_a_pass(problem.user, options);
  if (candidates.samples_only()) pass_estimate_ *= oracle.pass_cost();  // of a stream that was one sample
}

// The loop's steps are slower than a pass, which needs no step around the gradient and has all threads.
double Closing::seconds_of_a_pass() const {
  if (const double visit = candidates_.seconds_of_a_visit(); visit > 0)
    return problem_.part() * visit / passes_of_a_visit;
  const double by_loop = budget_.seconds_per_sample() * oracle_.pass_cost();
  if (!budget_.has_deadline()) return by_loop / step_over_pass;
  const double estimate = problem_.part() * pass_estimate_;
  return by_loop > 0 ? std::min(by_loop, estimate) : estimate;
}

// He looks at all samples, whatever the run works on, and of a stream at fresh ones.
double Closing::seconds_of_the_verdict() const {
  if (const double last = candidates_.seconds_of_the_last_word(); last > 0) return last;
  const double measured = candidates_.seconds_of_a_visit();
  return measured > 0 ? measured : passes_of_a_visit * seconds_of_a_pass() / problem_.part();
}

double Closing::seconds_of_a_quick_verdict() const {
  return problem_.quick_judge ? std::min(quick_seconds, quick_share_of_time * options_.seconds)
                              : quick_seconds;
}

bool Closing::wants_to_time_the_judge() const {
  return budget_.has_deadline() && candidates_.seconds_of_a_visit() == 0 &&
         budget_.seconds() > 0.5 * options_.seconds &&
         seconds_of_the_verdict() < small_share_of_time * budget_.seconds_left();
}

double Closing::seconds_needed() const {
  if (!budget_.has_deadline()) return 0;
  if (problem_.quick_judge) return seconds_of_a_quick_verdict();
  const double needed =
      2 * seconds_of_the_verdict() + seconds_of_the_polish() + reserve() * budget_.seconds_per_sample();
  return std::min({needed, closing_share_of_time * options_.seconds, std::max(0.0, most_seconds_)});
}

// As many gradients as a run has that is planned by samples.
double Closing::seconds_of_the_polish() const {
  if (!options_.finish || candidates_.samples_only()) return polish_share_of_time * options_.seconds;
  const double loop = budget_.spent.samples + budget_.samples_left_by_the_clock().value_or(0);
  const double needed = seconds_of_a_pass() * passes_of_the_polish(polish_share * loop / oracle_.pass_cost());
  return std::max(needed, polish_share_of_time * options_.seconds);
}

double Closing::seconds_expected() const {
  if (problem_.quick_judge) return seconds_of_a_quick_verdict();
  const double visits = options_.output == Output::best ? 2 : 1;
  const double last = visits * seconds_of_the_verdict();
  if (!options_.finish || candidates_.satisfied()) return last;
  if (candidates_.samples_only()) return last + reserve() * budget_.seconds_per_sample();
  return last + seconds_of_a_pass() * passes_of_the_polish(gradients());
}

double Closing::gradients() const {
  if (candidates_.samples_only()) return batches;
  const bool is_small = problem_.user.dimension() + problem_.user.rows().count() <= small;
  const double most = is_small ? most_gradients_small : most_gradients;
  if (follows_the_clock(options_)) return most;  // the clock says when
  return std::min(most, polish_share * budget_.samples() / oracle_.pass_cost());
}

double Closing::reserve() const {
  return candidates_.samples_only() && options_.finish && options_.output == Output::best
             ? std::min(0.5 * budget_.samples(), batches * oracle_.pass_cost())
             : 0;
}

void Closing::polish(const LastPoint& last) {
  budget_.set_aside(seconds_of_the_verdict() + seconds_of_a_pass());
  if (candidates_.satisfied()) return meet_rows(last);
  if (problem_.working().has_smooth_rows()) return polish_around(last);
  const auto judged = [&](const Candidate& candidate) {
    const double error = error_of(candidate, FoundBy::polish);
    return budget_.stop() ? 0.0 : error;  // out of time: whatever was shown is good enough
  };
  budget_.spent.phases[Phase::polish].projections +=
      finish(problem_.working(), last, candidates_.goal(), charged_gradient(gradients()), judged);
}

FullGradient Closing::charged_gradient(double most) {
  return [this, left = most](const Vector& x, Vector& out) mutable {
    PhaseSpending& row = budget_.spent.phases[Phase::polish];
    if (candidates_.samples_only())
      row.sample_gradients += oracle_.pass_cost();
    else
      row.full_gradients += 1;
    budget_.spent.samples += oracle_.pass_cost();
    oracle_.full_gradient(x, out);
    return --left > 0 && !budget_.stop();
  };
}

double Closing::error_of(const Candidate& candidate, FoundBy found_by) {
  candidates_.show(candidate, found_by);
  return candidates_.judged().latest->certificate.error();
}

// A stream has no second-order phase of its own: its mean over a batch has. First on a small batch, which
// finds the place, then on one that the budget bears. Where that fails once more from the start, since rows
// that bend may have led the loop astray.
void Closing::step_on_a_batch(LastPoint& last) {
  const auto turn = budget_.turn(Phase::second_order);
  const Problem& problem = problem_.working();
  const double whole = std::max(least_batch, reserve() / gradients_of_steps);
  const auto spent = std::make_shared<double>(0);
  double best = infinity;
  for (Vector from : {last.x, problem.starting_point()}) {
    if (!from.allFinite() || best <= well_enough || candidates_.satisfied() || budget_.stop()) continue;
    Vector multipliers = last.multipliers;
    *spent = 0;
    for (const double share : {first_share_of_batch, 1.0}) {
      const auto batch = static_cast<Index>(std::max(least_batch, share * whole));
      const Problem sampled =
          problem.with_objective(SampleAverage(problem.objective(), batch, options_.seed, spent));
      if (!second::applies(sampled)) return;
      second::Options how;
      how.tolerance = candidates_.goal();
      how.stop = [&] { return budget_.stop() || *spent > (share < 1 ? share_of_finding : 1) * reserve(); };
      const second::Outcome outcome = second::improve(sampled, {from, multipliers}, how);
      if (!outcome.x.allFinite()) break;
      from = outcome.x;
      multipliers = outcome.multipliers;
    }
    budget_.spent.samples += *spent;
    budget_.spent.phases[Phase::second_order].sample_gradients += *spent;
    if (!from.allFinite()) continue;
    const double error = error_of({from, multipliers}, FoundBy::second_order);
    if (!(error < best)) continue;
    best = error;
    last.x = last.z = from;
    last.multipliers = multipliers;
  }
}

void Closing::polish_around(LastPoint last) {
  if (candidates_.samples_only() && options_.second_order && problem_.working().objective().has_value())
    step_on_a_batch(last);
  double best = infinity;
  if (const auto& seen = candidates_.judged().best; seen && (seen->x == last.x || seen->x == last.z)) {
    best = seen->certificate.error();
    last.x = seen->x;
  }
  const int rounds = candidates_.samples_only() ? 1 : rounds_around;  // batches are soon spent
  for (int round = 0; round < rounds && !candidates_.satisfied() && !budget_.stop(); ++round) {
    const SmoothPoint at = problem_.working().smooth_rows().at(last.x);
    if (!last.x.allFinite() || !at.finite()) return;
    const double before = round == 0 ? infinity : best;
    const auto judged = [&](const Candidate& candidate) {
      const double error = error_of(candidate, FoundBy::polish);
      if (error < best) {
        best = error;
        last.x = last.z = candidate.x;
        last.multipliers = candidate.y;
      }
      return budget_.stop() ? 0.0 : error;  // out of time: whatever was shown is good enough
    };
    const LastPoint from = last;
    budget_.spent.phases[Phase::polish].projections +=
        finish(problem_.working().linearised(from.x, at), from, candidates_.goal(),
               charged_gradient(gradients() / rounds), judged);
    if (!(best < worth_a_round * before)) return;
  }
}

void Closing::meet_rows(const LastPoint& last) {
  const auto& feasible = candidates_.judged().best_feasible;
  if (feasible && feasible->certificate.error() <= candidates_.goal()) return;
  if (problem_.working().has_smooth_rows()) return;  // no projection meets them exactly
  auto set = Projector::of(problem_.working());
  if (!set) return;
  const Vector x = set->project(last.x, last.column_scale.cwiseAbs2().cwiseInverse()).x;
  budget_.spent.phases[Phase::polish].projections += 1;
  if (x.allFinite()) candidates_.show({x, last.multipliers}, FoundBy::polish);
}

bool Closing::refuses(const Vector& start) {
  const Problem& problem = problem_.working();
  if (problem.rows().count() == 0 || problem.stochastic_rows()) return false;
  const Vector activity = problem.rows().matrix * start;
  if (activity == activity.cwiseMax(problem.rows().lower).cwiseMin(problem.rows().upper)) return false;
  const auto least = contradiction(problem, quick_system);
  if (!least || !least->x.allFinite()) return false;
  refusal_ = prove_infeasible(problem_.user, least->y);
  if (refusal_) candidates_.show({least->x, Vector::Zero(problem.row_count())}, FoundBy::polish);
  return refusal_.has_value();
}

std::optional<Infeasibility> Closing::infeasibility(const Vector& y) const {
  auto proof = proof_of_infeasibility(y);
  if (proof) proof = smaller_conflict(problem_.user, std::move(*proof));
  const Index linear = problem_.user.rows().count(), smooth = problem_.user.smooth_rows().count();
  if (!proof || smooth == 0) return proof;
  Vector ray =
      Vector::Zero(proof->ray.size() + smooth);  // smooth rows stand between the linear ones and those of X
  ray.head(linear) = proof->ray.head(linear);
  ray.tail(proof->ray.size() - linear) = proof->ray.tail(proof->ray.size() - linear);
  proof->ray = std::move(ray);
  return proof;
}

std::optional<Infeasibility> Closing::proof_of_infeasibility(const Vector& y) const {
  if (refusal_) return refusal_;
  const auto& best = candidates_.judged().best;
  if (!best) return {};
  const Problem& problem = problem_.user;
  const Certificate& c = best->certificate;
  if (c.of(c.feasibility) <= candidates_.tolerance()) return {};
  const Vector& x = best->x;
  if (const auto ray = contradiction(problem))
    if (auto proof = prove_infeasible(problem, ray->y)) return proof;
  if (const auto set = FeasibleSet::of(problem))
    if (auto proof = prove_infeasible(problem, set->least_violation().y)) return proof;
  const Vector activity = problem.rows().matrix * x;  // smooth rows take no part in proofs
  const Vector violation = activity - activity.cwiseMax(problem.rows().lower).cwiseMin(problem.rows().upper);
  if (auto proof = prove_infeasible(problem, violation)) return proof;
  return prove_infeasible(problem, y.head(problem.rows().count()));
}

bool Closing::far_out(const Vector& x) const {
  const Rows& rows = problem_.user.rows();
  double size = 0;
  for (Index i = 0; i < rows.count(); ++i) {
    const double length = std::sqrt(rows.matrix.row(i).squaredNorm());
    for (const double bound : {rows.lower[i], rows.upper[i]})
      if (is_finite(bound) && length > 0) size = std::max(size, std::abs(bound) / length);
  }
  return x.lpNorm<Eigen::Infinity>() > far * (1 + size);
}

bool Closing::has_time_for_a_pass() const {
  return !budget_.has_deadline() ||
         budget_.seconds() + seconds_of_a_pass() / problem_.part() < options_.seconds;
}

std::optional<Unboundedness> Closing::unboundedness(const Vector& last) const {
  const auto& best = candidates_.judged().best;
  const Problem& problem = problem_.user;
  if (!best || !problem.objective().has_exact_mean() || problem.stochastic_rows()) return {};
  if (bounded_below(problem.objective())) return {};
  // From a point that meets the constraints.
  Vector x = best->x;
  const Certificate& c = best->certificate;
  const auto meets = [&](const Certificate& at) {
    return std::max(at.of(at.feasibility), at.of(at.set_distance)) <= candidates_.tolerance();
  };
  if (!meets(c)) {
    const auto set = FeasibleSet::of(problem);
    if (!set) return {};
    x = set->project(x, Vector::Ones(x.size())).x;
    const Certificate there = Judge(problem, {.absolute = options_.absolute})(x, c.multipliers);
    if (!meets(there)) return {};
  }
  Vector slope(x.size());
  problem.objective().mean_gradient(x, slope);
  if (!slope.allFinite()) return {};
  const Quadratic* quadratic = problem.objective().as_quadratic();
  const Vector& flat_slope =
      quadratic ? quadratic->cost() : slope;  // the same where Q d is 0, without rounding
  if (const auto flat = recession_direction(problem, flat_slope, true))
    if (auto proof = prove_unbounded(problem, x, *flat)) return proof;
  if (const auto along = recession_direction(problem, problem.starting_point() - last, false))
    if (auto proof = prove_unbounded(problem, x, *along)) return proof;
  return {};
}

}  // namespace bridle
