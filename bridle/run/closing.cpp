#include "bridle/run/closing.hpp"

#include "bridle/finish/projector.hpp"
#include "bridle/finish/rays.hpp"

namespace bridle {
namespace {

constexpr double batches = 10;  // of a stream known through samples only
constexpr Index small = 2000;   // variables and rows
constexpr double most_gradients_small = 4000, most_gradients = 60;
constexpr double polish_share = 0.1;  // of the budget
constexpr double quick_system = 5e4;  // entries: factorised in milliseconds

}  // namespace

double Closing::gradients() const {
  if (candidates_.samples_only()) return batches;
  const bool is_small = problem_.user.dimension() + problem_.user.rows().count() <= small;
  return std::min(is_small ? most_gradients_small : most_gradients,
                  polish_share * budget_.samples() / oracle_.pass_cost());
}

double Closing::reserve() const {
  return candidates_.samples_only() && options_.finish && options_.output == Output::best
             ? std::min(0.5 * budget_.samples(), batches * oracle_.pass_cost())
             : 0;
}

void Closing::polish(const LastPoint& last) {
  if (candidates_.satisfied()) return meet_rows(last);
  double left = gradients();
  const auto gradient = [&](const Vector& x, Vector& out) {
    budget_.spent.samples += oracle_.pass_cost();
    oracle_.full_gradient(x, out);
    return --left > 0 && !budget_.stop();
  };
  const auto judged = [&](const Candidate& candidate) {
    candidates_.show(candidate, FoundBy::polish);
    return candidates_.judged().latest->certificate.error();
  };
  finish(problem_.working(), last, candidates_.goal(), gradient, judged);
}

void Closing::meet_rows(const LastPoint& last) {
  const auto& feasible = candidates_.judged().best_feasible;
  if (feasible && feasible->certificate.error() <= candidates_.tolerance()) return;
  auto set = Projector::of(problem_.working());
  if (!set) return;
  const Vector x = set->project(last.x, last.column_scale.cwiseAbs2().cwiseInverse()).x;
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
  if (refusal_) candidates_.show({least->x, Vector::Zero(problem.rows().count())}, FoundBy::polish);
  return refusal_.has_value();
}

std::optional<Infeasibility> Closing::infeasibility(const Vector& y) const {
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
  const Vector activity = problem.rows().matrix * x;
  const Vector violation = activity - activity.cwiseMax(problem.rows().lower).cwiseMin(problem.rows().upper);
  if (auto proof = prove_infeasible(problem, violation)) return proof;
  return prove_infeasible(problem, y);
}

std::optional<Unboundedness> Closing::unboundedness(const Vector& last) const {
  const auto& best = candidates_.judged().best;
  const Problem& problem = problem_.user;
  if (!best || !problem.objective().has_exact_mean() || problem.stochastic_rows()) return {};
  // From a point that meets the constraints.
  Vector x = best->x;
  const Certificate& c = best->certificate;
  if (!(c.of(c.feasibility) <= candidates_.tolerance())) {
    const auto set = FeasibleSet::of(problem);
    if (!set) return {};
    x = set->project(x, Vector::Ones(x.size())).x;
    const Certificate there = Judge(problem, {.absolute = options_.absolute})(x, c.multipliers);
    if (!(there.of(there.feasibility) <= candidates_.tolerance())) return {};
  }
  Vector slope(x.size());
  problem.objective().mean_gradient(x, slope);
  if (!slope.allFinite()) return {};
  if (const auto flat = recession_direction(problem, slope, true))
    if (auto proof = prove_unbounded(problem, x, *flat)) return proof;
  if (const auto along = recession_direction(problem, problem.starting_point() - last, false))
    if (auto proof = prove_unbounded(problem, x, *along)) return proof;
  return {};
}

}  // namespace bridle
