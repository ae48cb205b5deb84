#include "bench/paper/rivals.hpp"

namespace bridle::paper {
namespace {

bool one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}
bool shrinks_its_step(std::string_view name) {
  return one_of(name, {"alacaoglu-wright-penalty", "lu-mei-xiao"});
}
bool has_multipliers(std::string_view name) { return !shrinks_its_step(name) && name != "penalty-sgd"; }
bool carries_z(std::string_view name) {
  return one_of(name, {"smoothed", "safeguarded", "storm", "safeguarded-storm", "zhang-luo"});
}

Parameters parameters_of(const AlgorithmDescription& method, const Setting& s) {
  Parameters p{.tau = s.tau, .eta = 0, .beta = 0, .mu = 0, .rho = s.rho, .alpha = 1};
  if (carries_z(method.name)) {
    p.mu = 2;
    p.beta = 2 * s.tau;
  }
  const double momentum = 5 * s.tau * s.tau;  // alpha of the order of tau^2, as all of them have it
  if (method.name == "stoc-ialm") {
    p.eta = s.third / 20 * s.rho;  // one dual step a round, of the order of rho
    p.alpha = std::min(1.0, momentum);
  } else if (has_multipliers(method.name)) {
    p.eta = s.third * s.tau;
    if (method.carries_estimate) p.alpha = std::min(1.0, momentum);
  } else if (method.carries_estimate) {
    p.alpha = s.third / 20;  // alpha_t = alpha t^-order
  }
  return p;
}

Reached run_once(const AlgorithmDescription& method, const Family& family, const Setting& setting,
                 double budget, std::uint64_t seed) {
  const Instance instance = make_instance(family, seed);
  const StandardForm form(instance.problem, literal_scaling());
  const double per_step = std::max(1.0, method.gradients_per_iteration);
  const double steps = budget / per_step;
  Run run(form, std::string(method.name), parameters_of(method, setting), static_cast<std::uint64_t>(steps),
          seed);
  Reached out;
  std::fill(std::begin(out.evaluations), std::end(out.evaluations), infinity);
  double candidate[target_count];
  std::fill(std::begin(candidate), std::end(candidate), infinity);
  for (double visit = 10; visit <= steps; visit *= std::pow(10, 0.1)) {
    run.advance_to(static_cast<std::uint64_t>(visit));
    const Iterate& now = run.state();
    if (!now.finite() || now.x.norm() > 1e6) return out;
    double error = judge(form, now.x, now.y, true).error();
    if (carries_z(method.name)) error = std::min(error, judge(form, now.z, now.y, true).error());
    out.last_error = error;
    bool all = true;
    for (std::size_t k = 0; k < target_count; ++k) {
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
  if (method.name == "zhang-luo" && noisy) return "needs full gradients";
  if (method.needs_whole_space && (family.region != Region::whole_space || family.rows != RowKind::equality))
    return "needs X = R^n and equality rows";
  if (method.samples_rows && family.region == Region::whole_space) return "needs bounded X";
  if (!method.samples_rows && family.rows == RowKind::drawn) return "needs A itself";
  return "";
}

std::vector<Setting> grid_of(const AlgorithmDescription& method) {
  const double unit = shrinks_its_step(method.name) ? 10 : 1;
  std::vector<Setting> grid;
  for (const double tau : {0.1, 0.03, 0.01, 0.003})
    for (const double rho : {2.0, 10.0})
      for (const double third : {2.0, 20.0}) {
        if (method.name == "penalty-sgd" && third > 2) continue;  // has no third
        grid.push_back({unit * tau, rho, third});
      }
  if (method.name == "penalty-sgd")  // as many points as the others: more penalties instead
    for (const double tau : {0.03, 0.01, 0.003, 0.001})
      for (const double rho : {50.0, 250.0}) grid.push_back({std::min(tau, 1 / rho), rho, 0});
  return grid;
}

Reached run_rival(const AlgorithmDescription& method, const Family& family, const Setting& setting,
                  double budget, std::uint64_t seed) {
  Reached best = run_once(method, family, setting, budget, seed);
  if (method.name != "stoc-ialm") return best;
  for (double horizon = budget / std::sqrt(10.0); horizon > 500; horizon /= std::sqrt(10.0)) {
    const Reached run = run_once(method, family, setting, horizon, seed);
    for (std::size_t k = 0; k < target_count; ++k)
      best.evaluations[k] = std::min(best.evaluations[k], run.evaluations[k]);
    best.last_error = std::min(best.last_error, run.last_error);
  }
  return best;
}

}  // namespace bridle::paper
