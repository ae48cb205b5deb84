#include "bridle/run/judging.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <tuple>

#include "bridle/certify/certify.hpp"
#include "bridle/finish/projector.hpp"
#include "bridle/run/measure.hpp"

namespace bridle {
namespace {

constexpr Index many_rows = 2000;
// A stream known through samples only: the finish takes this many batches, each this share of the budget.
constexpr double batches = 10, batch_share = 0.03, largest_batch = 1e5;
constexpr double on_the_rows = 1e-9;  // relative feasibility
constexpr double as_good = 10;        // errors within this factor may be luck where the tolerance is not met
constexpr double reach_over_point = 1e6;  // what a proof of infeasibility must cover, in units of 1 + |x|

}  // namespace

Judging::Judging(const Problem& problem, const std::optional<Centring>& centring, const SolveOptions& options,
                 double budget, RunState& state)
    : problem_(problem),
      centring_(centring),
      options_(options),
      budget_(budget),
      state_(state),
      samples_only_(!problem.objective().has_exact_mean()) {
  const Index count = problem.objective().sample_count();
  cost_ = samples_only_      ? std::clamp(std::floor(batch_share * budget), 1000.0, largest_batch)
          : count == endless ? 1
                             : static_cast<double>(count);
}

// Points are compared on a batch that the budget can bear; what is returned is judged on a large, fresh one.
JudgedPoint Judging::judge(const Vector& x, const Vector& y, bool thoroughly) {
  const auto start = std::chrono::steady_clock::now();
  CertifyOptions how{.improve_multipliers = options_.refit_multipliers, .seed = options_.seed};
  if (compares_on_batches() && !thoroughly) {
    how.batch = static_cast<Index>(cost_);
    how.seed = options_.seed + 1'000'003;
  }
  JudgedPoint point{x, certify(problem_, x, y, how)};
  state_.certificate_samples += static_cast<double>(point.certificate.gradients);
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return point;
}

bool Judging::show(const Candidate& candidate) {
  Vector x = candidate.x;
  if (centring_) centring_->to_user(x);
  JudgedPoint point = judge(x, candidate.y, false);
  bool enough = good_enough(point.certificate);
  if (enough && compares_on_batches()) {
    confirm(point);
    enough = good_enough(point.certificate);
  }
  const auto keep_the_better = [&](std::optional<JudgedPoint>& kept) {
    if (!kept || error_of(point) < error_of(*kept)) kept = point;
  };
  keep_the_better(state_.best);
  if (point.certificate.feasibility <= on_the_rows * point.certificate.feasibility_scale) {
    keep_the_better(state_.best_feasible);
    auto& lowest = state_.lowest_feasible;
    const double limit = as_good * error_of(*state_.best_feasible);
    if (!lowest || error_of(*lowest) > limit ||
        (point.certificate.objective < lowest->certificate.objective && error_of(point) <= limit))
      lowest = point;
  }
  state_.latest = std::move(point);
  return enough;
}

const JudgedPoint& Judging::choice() const {
  const double best = error_of(*state_.best);
  double limit = as_good * best;
  if (best <= options_.tolerance) limit = std::min(limit, options_.tolerance);
  const auto& [feasible, lowest] = std::tie(state_.best_feasible, state_.lowest_feasible);
  if (!feasible || error_of(*feasible) > limit) return *state_.best;
  const double f = feasible->certificate.objective;
  const bool clearly_lower = lowest->certificate.objective < f - 1e-6 * (1 + std::abs(f));
  return clearly_lower && error_of(*lowest) <= limit ? *lowest : *feasible;
}

void Judging::confirm(JudgedPoint& point) {
  if (compares_on_batches() && point.certificate.gradients <= static_cast<Index>(cost_))
    point = judge(point.x, point.certificate.multipliers, true);
}

// His full gradient, and with very many rows the fit of the multipliers, some thousand passes over the rows.
double Judging::interval() const {
  const double passes = problem_.rows().count() > many_rows ? 1000 : 0;
  const auto entries = static_cast<double>(problem_.rows().matrix.nonZeros());
  return 20 * (cost() + passes * entries / static_cast<double>(problem_.dimension()));
}

double Judging::finishing_gradients() const {
  if (samples_only_) return batches;
  const bool small = problem_.dimension() + problem_.rows().count() <= 2000;
  return std::min(small ? 4000.0 : 60.0, 0.1 * budget_ / cost_);
}

double Judging::reserve() const {
  return samples_only_ && options_.finish && options_.output == Output::best
             ? std::min(0.5 * budget_, batches * cost_)
             : 0;
}

// What the run aims at. Without noise an iteration is cheap and a sharper answer costs little.
double Judging::goal() const {
  return (problem_.objective().deterministic() ? 0.01 : 1.0) * options_.tolerance;
}
bool Judging::good_enough(const Certificate& certificate) const {
  return certificate.error(options_.absolute) <= goal();
}

void Judging::finish(const LastPoint& last, const std::function<bool()>& more) {
  const auto gradient = [&](const Vector& x, Vector& out) {
    state_.samples += cost();
    full_gradient(centring_ ? centring_->problem() : problem_, x, static_cast<Index>(cost()), options_.seed,
                  out);
    return more();
  };
  const auto judged = [&](const Candidate& candidate) {
    show(candidate);
    return error_of(*state_.latest);
  };
  bridle::finish(centring_ ? centring_->problem() : problem_, last, goal(), gradient, judged);
}

void Judging::meet_rows(const LastPoint& last) {
  if (state_.best_feasible && error_of(*state_.best_feasible) <= options_.tolerance) return;
  auto set = Projector::of(centring_ ? centring_->problem() : problem_);
  if (!set) return;
  const Vector x = set->project(last.x, last.column_scale.cwiseAbs2().cwiseInverse()).x;
  if (x.allFinite()) show({x, last.multipliers});
}

std::optional<Infeasibility> Judging::infeasibility(const Vector& y) const {
  if (!state_.best) return {};
  const Certificate& c = state_.best->certificate;
  if (c.feasibility / (options_.absolute ? 1 : c.feasibility_scale) <= options_.tolerance) return {};
  const Vector& x = state_.best->x;
  const double reach = reach_over_point * (1 + x.lpNorm<Eigen::Infinity>());
  if (const auto set = FeasibleSet::of(problem_))
    if (auto proof = prove_infeasible(problem_, set->least_violation(), reach)) return proof;
  const Vector activity = problem_.rows().matrix * x;
  const Vector violation =
      activity - activity.cwiseMax(problem_.rows().lower).cwiseMin(problem_.rows().upper);
  if (auto proof = prove_infeasible(problem_, violation, reach)) return proof;
  return prove_infeasible(problem_, y, reach);
}

}  // namespace bridle
