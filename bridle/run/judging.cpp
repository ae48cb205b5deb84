#include "bridle/run/judging.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <tuple>

#include "bridle/finish/projector.hpp"
#include "bridle/finish/rays.hpp"
#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/run/measure.hpp"

namespace bridle {
namespace {

constexpr Index many_rows = 2000;
// A stream known through samples only: the finish takes this many batches, each this share of the budget.
constexpr double batches = 10, batch_share = 0.03, largest_batch = 1e5;
constexpr double on_the_rows = 1e-9;  // relative feasibility
constexpr double as_good = 10;        // errors within this factor may be luck
constexpr double much = 1e-3;         // of f

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
const Judge& Judging::judge_for(bool thoroughly) {
  const bool quick = compares_on_batches() && !thoroughly;
  std::optional<Judge>& judge = quick ? quick_ : thorough_;
  if (!judge) {
    CertifyOptions how{.improve_multipliers = options_.refit_multipliers,
                       .absolute = options_.absolute,
                       .seed = options_.seed};
    if (quick) {
      how.batch = static_cast<Index>(cost_);
      how.seed = options_.seed + 1'000'003;
    }
    judge.emplace(problem_, how);
    bool& charged = quick ? state_.quick_origin : state_.thorough_origin;
    if (!charged)
      state_.certificate_samples += samples_only_ && !quick ? static_cast<double>(how.batch) : cost_;
    charged = true;
  }
  return *judge;
}

JudgedPoint Judging::judge(const Vector& x, const Vector& y, bool thoroughly) {
  const auto start = std::chrono::steady_clock::now();
  JudgedPoint point{x, judge_for(thoroughly)(x, y)};
  state_.certificate_samples += static_cast<double>(point.certificate.gradients);
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return point;
}

bool Judging::show(const Candidate& candidate) {
  Vector x = candidate.x;
  if (centring_) centring_->to_user(x);
  JudgedPoint point = judge(x, candidate.y, false);
  bool enough = good_enough(point.certificate) && !trivial(point);
  if (enough && compares_on_batches()) {
    confirm(point);
    enough = good_enough(point.certificate);
  }
  const auto keep_the_better = [&](std::optional<JudgedPoint>& kept) {
    if (!kept || error_of(point) < error_of(*kept)) kept = point;
  };
  keep_the_better(state_.best);
  if (point.certificate.feasibility.relative <= on_the_rows) {
    keep_the_better(state_.best_feasible);
    auto& lowest = state_.lowest_feasible;
    const double limit = std::max(options_.tolerance, alike(error_of(*state_.best_feasible)));
    if (!lowest || error_of(*lowest) > limit ||
        (point.certificate.objective < lowest->certificate.objective && error_of(point) <= limit))
      lowest = point;
  }
  state_.latest = std::move(point);
  return enough;
}

bool Judging::trivial(const JudgedPoint& point) const {
  const LinearModel* model = problem_.objective().as_linear_model();
  if (!model) return false;
  if (!constant_loss_) constant_loss_ = model->constant_loss();
  return !(point.certificate.objective < *constant_loss_ - 1e-3 * std::abs(*constant_loss_));
}

// Errors up to this are alike one of `error`: both meet the tolerance or both miss it, by a factor that may
// be luck.
double Judging::alike(double error) const {
  const double limit = as_good * error;
  return error <= options_.tolerance ? std::min(limit, options_.tolerance) : limit;
}

const JudgedPoint& Judging::choice() const {
  const double limit = alike(error_of(*state_.best));
  const auto& [feasible, lowest] = std::tie(state_.best_feasible, state_.lowest_feasible);
  if (!feasible) return *state_.best;
  const double f = state_.best->certificate.objective, lower = lowest->certificate.objective;
  // A certified point that is much better is better, whatever the last digits of its certificate.
  if (error_of(*lowest) <= options_.tolerance && lower < f - much * std::abs(f)) return *lowest;
  if (error_of(*feasible) > limit) return *state_.best;
  const double near = feasible->certificate.objective;
  const bool clearly_lower = lower < near - 1e-6 * (1 + std::abs(near));
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
bool Judging::good_enough(const Certificate& certificate) const { return certificate.error() <= goal(); }

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
  if (c.of(c.feasibility) <= options_.tolerance) return {};
  const Vector& x = state_.best->x;
  if (const auto ray = contradiction(problem_))
    if (auto proof = prove_infeasible(problem_, *ray)) return proof;
  if (const auto set = FeasibleSet::of(problem_))
    if (auto proof = prove_infeasible(problem_, set->least_violation())) return proof;
  const Vector activity = problem_.rows().matrix * x;
  const Vector violation =
      activity - activity.cwiseMax(problem_.rows().lower).cwiseMin(problem_.rows().upper);
  if (auto proof = prove_infeasible(problem_, violation)) return proof;
  return prove_infeasible(problem_, y);
}

std::optional<Unboundedness> Judging::unboundedness(const Vector& start, const Vector& last) const {
  if (!state_.best || !problem_.objective().has_exact_mean() || problem_.stochastic_rows()) return {};
  // From a point that meets the constraints.
  Vector x = state_.best->x;
  const Certificate& c = state_.best->certificate;
  if (!(c.of(c.feasibility) <= options_.tolerance)) {
    const auto set = FeasibleSet::of(problem_);
    if (!set) return {};
    x = set->project(x, Vector::Ones(x.size())).x;
    const Certificate there = Judge(problem_, {.absolute = options_.absolute})(x, c.multipliers);
    if (!(there.of(there.feasibility) <= options_.tolerance)) return {};
  }
  Vector slope(x.size());
  problem_.objective().mean_gradient(x, slope);
  if (!slope.allFinite()) return {};
  if (const auto flat = recession_direction(problem_, slope, true))
    if (auto proof = prove_unbounded(problem_, x, *flat)) return proof;
  if (const auto along = recession_direction(problem_, start - last, false))
    if (auto proof = prove_unbounded(problem_, x, *along)) return proof;
  return {};
}

}  // namespace bridle
