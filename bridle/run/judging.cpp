#include "bridle/run/judging.hpp"

#include <chrono>

#include "bridle/certify/certify.hpp"
#include "bridle/run/measure.hpp"

namespace bridle {
namespace {

constexpr Index many_rows = 2000;
constexpr double reach_over_point = 1e6;  // what a proof of infeasibility must cover, in units of 1 + |x|

}  // namespace

bool Judging::show(const Candidate& candidate) {
  const auto start = std::chrono::steady_clock::now();
  JudgedPoint point{candidate.x,
                    certify(problem_, candidate.x, candidate.y,
                            {.improve_multipliers = options_.refit_multipliers, .seed = options_.seed})};
  state_.certificate_samples += static_cast<double>(point.certificate.gradients);
  if (!state_.best ||
      point.certificate.error(options_.absolute) < state_.best->certificate.error(options_.absolute))
    state_.best = point;
  const bool enough = good_enough(point.certificate);
  state_.latest = std::move(point);
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return enough;
}

// His full gradient, and with very many rows the fit of the multipliers, some thousand passes over the rows.
double Judging::interval() const {
  const double passes = problem_.rows().count() > many_rows ? 1000 : 0;
  const auto entries = static_cast<double>(problem_.rows().matrix.nonZeros());
  return 20 * (cost() + passes * entries / static_cast<double>(problem_.dimension()));
}

double Judging::cost() const {
  const Index count = problem_.objective().sample_count();
  return count == endless ? (problem_.objective().has_exact_mean() ? 1.0 : 1e5) : static_cast<double>(count);
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
    full_gradient(problem_, x, static_cast<Index>(cost()), options_.seed, out);
    return more();
  };
  const auto judged = [&](const Candidate& candidate) {
    show(candidate);
    return state_.latest->certificate.error(options_.absolute);
  };
  bridle::finish(problem_, last, goal(), gradient, judged);
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
