#include "bridle/algorithms/baselines/ssl_alm.hpp"

#include "bench/paper/rivals.hpp"

namespace bridle::paper {
namespace {

bool one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}
bool shrinks_its_step(std::string_view name) {
  return one_of(name, {"alacaoglu-wright-penalty", "lu-mei-xiao", "lu-mei-xiao-polyak"});
}
bool has_dual_step(std::string_view name) {  // for ma-lin-yang a tolerance stands in its place
  return !shrinks_its_step(name) && !one_of(name, {"penalty-sgd", "prox-pda", "stochastic-sqp"});
}
bool has_penalty(std::string_view name) { return !one_of(name, {"conex", "ma-lin-yang", "stochastic-sqp"}); }
bool carries_z(std::string_view name) {
  return one_of(name, {"smoothed", "safeguarded", "storm", "safeguarded-storm", "zhang-luo", "ssl-alm"});
}
bool keeps_centre(std::string_view name) { return one_of(name, {"conex", "ma-lin-yang"}); }

double steps_of(const Setting& setting, Knob knob) {
  return std::pow(10, 0.5 * setting[static_cast<std::size_t>(knob)]);
}

// One run made for `horizon` sample gradients, looked at until `limit`.
Reached run_once(const AlgorithmDescription& method, const Contest& contest, const Setting& setting,
                 double horizon, double limit, std::uint64_t seed, std::size_t needed) {
  const Instance instance = make_instance(contest.family, seed);
  const StandardForm form(instance.problem, literal_scaling());
  const bool absolute = contest.measure == Measure::absolute;
  const double per_step = std::max(1.0, method.gradients_per_iteration);
  const Parameters p = parameters_of(method, setting);
  const double bound = method.samples_rows ? formula_dual_bound(instance, p.mu, p.rho) : infinity;
  Run run(form, std::string(method.name), p, static_cast<std::uint64_t>(horizon / per_step), seed, bound);
  Reached out;
  std::fill(std::begin(out.evaluations), std::end(out.evaluations), infinity);
  double candidate[target_count];
  std::fill(std::begin(candidate), std::end(candidate), infinity);
  for (double visit = 10; visit <= std::min(horizon, limit) / per_step; visit *= std::pow(10, 0.1)) {
    run.advance_to(static_cast<std::uint64_t>(visit));
    const Iterate& now = run.state();
    if (!now.finite() || now.x.norm() > 1e6) return out;
    double error = judge(form, now.x, now.y, true, absolute).error();
    if (carries_z(method.name) || keeps_centre(method.name))
      error = std::min(error, judge(form, now.z, now.y, true, absolute).error());
    out.last_error = error;
    bool all = true;
    for (std::size_t k = 0; k < needed; ++k) {
      if (out.evaluations[k] < infinity) continue;
      if (error > targets[k])
        candidate[k] = infinity;
      else if (candidate[k] < infinity)
        out.evaluations[k] = candidate[k];
      else
        candidate[k] = run.evaluations();
      all = all && out.evaluations[k] < infinity;
    }
    if (all) break;
  }
  return out;
}

}  // namespace

std::string does_not_apply(const AlgorithmDescription& method, const Family& family) {
  const bool noisy = family.noise.additive > 0 || family.noise.multiplicative > 0;
  if (method.gradients_per_iteration == 0 && noisy) return "needs full gradients";
  if (method.needs_whole_space && (family.region != Region::whole_space || family.rows != RowKind::equality))
    return "needs X = R^n and equality rows";
  if (method.needs_interior && family.rows != RowKind::inequality) return "needs rows with an interior";
  if (method.samples_rows && family.region == Region::whole_space) return "needs bounded X";
  if (!method.samples_rows && !method.find_representation("drawn") && family.rows == RowKind::drawn)
    return "needs A itself";
  return "";
}

std::vector<Knob> knobs_of(const AlgorithmDescription& method) {
  if (method.name == "ssl-alm") return {};  // as it is
  std::vector<Knob> out = {Knob::tau};
  if (has_penalty(method.name)) out.push_back(Knob::rho);
  if (has_dual_step(method.name)) out.push_back(Knob::eta);
  if (carries_z(method.name)) out.push_back(Knob::beta);
  if (method.carries_estimate) out.push_back(Knob::alpha);
  return out;
}

// The first guess: tau = 0.03 (0.3 where the method shrinks it; with another rho in proportion to 1/(3 +
// rho), the inverse of L_K, so that a move of rho alone keeps a step as stable as it was), rho = 2, eta = 2
// tau, beta = 2 tau, mu = 2, alpha = 5 tau^2 with multipliers, at most 1; without multipliers the constant of
// alpha_t = min(1, alpha t^-order), which may be above 1.
Parameters parameters_of(const AlgorithmDescription& method, const Setting& s) {
  if (method.name == "ssl-alm") return published_ssl_alm;
  const double rho = 2 * steps_of(s, Knob::rho);
  const double tau = (shrinks_its_step(method.name) ? 0.3 : 0.03) * steps_of(s, Knob::tau) * 5 / (3 + rho);
  Parameters p{.tau = tau, .eta = 0, .beta = 0, .mu = 0, .rho = rho, .alpha = 1};
  if (carries_z(method.name)) {
    p.mu = 2;
    p.beta = std::min(largest_beta, 2 * tau * steps_of(s, Knob::beta));
  }
  if (keeps_centre(method.name)) p.mu = 2;
  if (method.name == "stochastic-sqp") p.mu = 1;  // its L
  if (has_dual_step(method.name))                 // one dual step a round is of the order of rho
    p.eta = (method.name == "stoc-ialm" ? 0.3 * p.rho : 2 * tau) * steps_of(s, Knob::eta);
  if (method.carries_estimate)
    p.alpha = (has_dual_step(method.name) ? std::min(1.0, 5 * tau * tau * steps_of(s, Knob::alpha))
                                          : steps_of(s, Knob::alpha));
  return p;
}

std::string constants_text(const AlgorithmDescription& method, const Parameters& p) {
  const auto text = [](bool used, double value) { return used ? fmt::format("{:.6g}", value) : ""; };
  const bool own = method.name == "ssl-alm";
  return fmt::format("{},{},{},{},{},{}", text(true, p.tau), text(has_dual_step(method.name), p.eta),
                     text(carries_z(method.name), p.beta), text(p.mu > 0, p.mu),
                     text(has_penalty(method.name), p.rho), text(method.carries_estimate && !own, p.alpha));
}

std::string bounds_text(const std::vector<Cell>& cells) {
  int entries = 0, beta = 0, alpha = 0, above = 0, edge = 0, unreached = 0, unreached_edge = 0;
  for (const Cell& cell : cells) {
    if (!cell.reason.empty() || knobs_of(*cell.method).empty()) continue;
    for (std::size_t k = 0; k < target_count; ++k) {
      const Setting& setting = cell.chosen[cell.setting_at(k)];
      const Parameters p = parameters_of(*cell.method, setting);
      const bool at_edge = std::any_of(setting.begin(), setting.end(),
                                       [](int place) { return std::abs(place) == farthest_setting; });
      if (!(median(cell.at(k)) < infinity)) {
        ++unreached;
        unreached_edge += at_edge;
        continue;
      }
      ++entries;
      edge += at_edge;
      beta += carries_z(cell.method->name) && p.beta >= largest_beta;
      if (!cell.method->carries_estimate) continue;
      if (has_dual_step(cell.method->name))
        alpha += p.alpha >= 1;
      else
        above += p.alpha > 1;
    }
  }
  return fmt::format(
      "Of the {} tuned entries whose median reaches its eps, {} have beta = {}, the largest that Bridle "
      "takes "
      "(z is an average of x with weight beta, which ends at 1: a limit of the methods), {} alpha = 1 in "
      "methods with multipliers (an estimate that is the last gradient: a limit too), and {} a constant {:g} "
      "decades from the first guess, the farthest that is tried. The constant of alpha_t = min(1, alpha "
      "t^-q) "
      "in the growing penalties has no bound and is above 1 in {}. Of the {} entries that do not reach their "
      "eps {} end at that farthest place.",
      entries, beta, largest_beta, alpha, edge, 0.5 * farthest_setting, above, unreached, unreached_edge);
}

Reached run_rival(const AlgorithmDescription& method, const Contest& contest, const Setting& setting,
                  double limit, std::uint64_t seed, std::size_t needed) {
  Reached best = run_once(method, contest, setting, contest.budget, limit, seed, needed);
  if (method.name != "stoc-ialm") return best;
  for (double horizon = contest.budget / std::sqrt(10.0); horizon > 500; horizon /= std::sqrt(10.0)) {
    const Reached run = run_once(method, contest, setting, horizon, limit, seed, needed);
    for (std::size_t k = 0; k < target_count; ++k)
      best.evaluations[k] = std::min(best.evaluations[k], run.evaluations[k]);
    best.last_error = std::min(best.last_error, run.last_error);
  }
  return best;
}

}  // namespace bridle::paper
