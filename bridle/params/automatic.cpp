#include "bridle/params/automatic.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "bridle/core/count.hpp"

namespace bridle {
namespace {

constexpr int search_stages = 10;  // at full step, growing, each with fresh estimates
constexpr int decay_stages = 8;
constexpr double search_share = 0.1;  // of the budget

// Relative lengths of all stages: 1, 1, 2, 2, 4, 4, ... then equal pieces.
std::vector<double> stage_weights() {
  std::vector<double> weights;
  double sum = 0;
  for (int k = 0; k < search_stages; ++k) sum += std::pow(2.0, k / 2);
  for (int k = 0; k < search_stages; ++k) weights.push_back(search_share * std::pow(2.0, k / 2) / sum);
  for (int k = 0; k < decay_stages; ++k) weights.push_back((1 - search_share) / decay_stages);
  return weights;
}

constexpr Index noisy_rows = 10;
constexpr double largest_safety = 1e12;  // beyond this smaller steps are no answer

std::string text(const char* format, double a, double b, double c) {
  char out[160];
  std::snprintf(out, sizeof out, format, a, b, c);
  return out;
}

}  // namespace

Vector typical_columns(const ColumnStatistics& columns) {
  Vector out = Vector::Ones(columns.magnitude.size());
  for (Index j = 0; j < out.size(); ++j)
    if (columns.magnitude[j] > 0)
      out[j] =
          1 / (columns.magnitude[j] * std::pow(std::max(std::sqrt(columns.frequency[j]), 1.0 / 30), 0.5));
  return out;
}

bool is_noisy(double sample_curvature, double curvature) { return sample_curvature >= 1.5 * curvature; }

AutomaticRule::AutomaticRule(const Problem& problem, double budget, const RuleTraits& traits,
                             std::uint64_t seed, std::optional<double> given_curvature)
    : problem_(problem), budget_(budget), traits_(traits), seed_(seed), given_curvature_(given_curvature) {
  memory_.columns = Vector::Ones(problem.dimension());
  memory_.column_curvature = Vector::Zero(problem.dimension());
  const LinearModel* model = problem.objective().as_linear_model();
  if (!model || problem.rows().count() > noisy_rows || traits.draw_weight > 0) return;

  memory_.columns = typical_columns(model->column_statistics());
  problem.set().make_admissible(memory_.columns);
  memory_.steps_cap = loss_curvature(model->loss()) * model->mean_squared_norm(memory_.columns);
  memory_.curvature = linear_model_curvature(*model, memory_.columns, seed);
  if (is_noisy(memory_.steps_cap, memory_.curvature))
    memory_.regime = Regime::noisy;
  else
    memory_.columns.setOnes();
}

std::optional<StagePlan> AutomaticRule::next(const OriginalState& state,
                                             const std::optional<StageReport>& last, double budget_left) {
  auto plan =
      memory_.regime == Regime::noisy ? next_noisy(last, budget_left) : next_stiff(state, last, budget_left);
  if (plan && traits_.carries_estimate) {
    plan->stage.parameters.alpha = 0.2;
    plan->reasons.push_back({"alpha", 0.2, "STORM's momentum at full step; falls with tau"});
  }
  return plan;
}

std::optional<StagePlan> AutomaticRule::next_noisy(const std::optional<StageReport>& last,
                                                   double budget_left) {
  StagePlan plan;
  if (last && last->diverged && memory_.safety < largest_safety) {
    memory_.safety *= 16;
    plan.events.push_back(
        "the iterates blew up: restarted from the last good point with steps 16 times smaller");
  } else if (memory_.stage > 0) {
    return std::nullopt;
  }
  ++memory_.stage;
  const double sample_curvature = memory_.safety * memory_.steps_cap;           // R
  const double curvature = memory_.safety * believed(memory_.curvature, plan);  // L
  Parameters p;
  p.mu = 0.2 * curvature;
  p.rho = std::clamp(1.4 * sample_curvature - curvature, 2 * curvature, 8 * curvature);
  p.tau = std::min(0.5 / sample_curvature, 0.7 / (p.rho + curvature));
  p.eta = p.tau * std::pow(curvature + p.rho + p.mu, 2) / 4;
  p.beta = 4 * p.tau * p.mu;
  plan.curvature = curvature;
  plan.scaling.columns = memory_.columns;
  plan.stage = {p, {Decay::cosine}, to_count(budget_left / traits_.gradients_per_iteration)};
  plan.reasons = {
      {"L", curvature, "largest curvature of the mean loss, power iteration on 2,000 samples"},
      {"R", sample_curvature, "mean curvature of single samples; R/L >= 1.5 and few rows: noisy regime"},
      {"mu", p.mu, "0.2 L"},
      {"rho", p.rho, "1.4 R - L, kept in [2 L, 8 L]"},
      {"tau", p.tau, "min(0.5/R, 0.7/(rho + L)), cosine decay to 0"},
      {"eta", p.eta, "tau (L + rho + mu)^2 / 4"},
      {"beta", p.beta, "4 tau mu"}};
  return plan;
}

// The user's L, if there is one and it can be true.
double AutomaticRule::believed(double measured, StagePlan& plan) {
  if (!given_curvature_) return measured;
  const double lowest = 0.5 * measured, highest = 10 * measured;
  const double L = std::clamp(*given_curvature_, lowest, highest);
  if (L != *given_curvature_ && !memory_.corrected) {
    memory_.corrected = true;
    plan.events.push_back(text("the given L = %.3g does not fit the measured curvature %.3g: %.3g is used",
                               *given_curvature_, measured, L));
  }
  return L;
}

// Raises L when the last stage went in circles or blew up.
void AutomaticRule::heed(const StageReport& last, StagePlan& plan) {
  if (last.diverged && memory_.safety < largest_safety) {
    memory_.safety *= 16;
    memory_.previous_residual = infinity;
    --memory_.stage;  // once more, and if the budget is gone then briefly
    plan.events.push_back(
        "the iterates blew up: restarted from the last good point with steps 16 times smaller");
    return;
  }
  const double noise_floor = 3 * memory_.noise / (23 * memory_.safety * memory_.curvature);
  const bool stalled = last.residual > 0.8 * memory_.previous_residual && last.residual > noise_floor &&
                       last.residual > 1e-9 * (1 + last.point_norm);
  // Rows seen through draws have a noise floor of their own: a stalled residual says nothing there.
  if (traits_.draw_weight == 0 && memory_.stage > 2 && stalled && last.progress < 0.25 &&
      memory_.safety < 1e4) {
    memory_.safety *= 4;
    memory_.previous_residual = infinity;
    plan.events.push_back("the residual stalls while z moves in circles: steps made 4 times smaller");
  } else {
    memory_.previous_residual = last.residual;
  }
}

// Columns scaled so that all have the curvature of the stiffest, within a factor 30.
void AutomaticRule::measure_columns(const OriginalState& state, StagePlan& plan) {
  const auto probe = estimate_column_curvature(problem_, state.x, memory_.columns, 6, 16, seed_,
                                               static_cast<std::uint64_t>(memory_.stage));
  plan.gradients += probe.gradients;
  memory_.column_curvature = memory_.column_curvature.cwiseMax(probe.rows);
  const double largest = memory_.column_curvature.maxCoeff();
  if (!(largest > 0) || !std::isfinite(largest)) return;
  for (Index j = 0; j < problem_.dimension(); ++j)
    memory_.columns[j] = std::sqrt(largest / std::max(memory_.column_curvature[j], largest / (30.0 * 30.0)));
  problem_.set().make_admissible(memory_.columns);
}

std::optional<StagePlan> AutomaticRule::next_stiff(const OriginalState& state,
                                                   const std::optional<StageReport>& last,
                                                   double budget_left) {
  static const std::vector<double> weights = stage_weights();
  const auto total = static_cast<int>(weights.size());
  StagePlan plan;
  if (last) heed(*last, plan);
  const bool again = last && last->diverged && !plan.events.empty();
  if (memory_.stage >= total || (memory_.stage > 0 && budget_left <= 0 && !again)) return std::nullopt;

  if (traits_.draw_weight > 0) plan.scaling.metric = MetricKind::diagonal;
  const bool new_metric = memory_.stage <= search_stages;
  if (new_metric) measure_columns(state, plan);
  plan.scaling.columns = memory_.columns;
  const StandardForm form(problem_, plan.scaling);
  const auto estimate =
      estimate_curvature(form, form.to_standard(state.x, state.slacks), memory_.stage == 0 ? 16 : 8, 8, seed_,
                         static_cast<std::uint64_t>(memory_.stage));
  plan.gradients += estimate.gradients;
  // Estimates in another metric say little about this one: let the old maximum fade when the metric moves.
  memory_.curvature = std::max(new_metric ? 0.5 * memory_.curvature : memory_.curvature, estimate.curvature);
  if (!(memory_.curvature > 1e-10 * estimate.gradient_norm))  // a linear objective: any positive L will do
    memory_.curvature = std::max(1e-300, 0.01 * estimate.gradient_norm / (1 + state.x.norm()));
  if (estimate.noise > 0) memory_.noise = estimate.noise;
  if (const auto bound = problem_.objective().smoothness(); bound && *bound > 0)  // known in closed form
    memory_.curvature = std::min(memory_.curvature, *bound * memory_.columns.cwiseAbs2().maxCoeff());

  const double L = memory_.safety * believed(memory_.curvature, plan), a = 23 * L;
  Parameters p;
  p.mu = 2 * L;
  p.rho = 20 * L;
  // Rows seen through draws: one draw is larger than the mean by the weight of a row, in the metric of the
  // rows.
  const double draw = std::max(1.0, traits_.draw_weight * form.metric().diagonal_scale());
  p.tau = 1 / (3 * L + 20 * L * draw);
  // Divided by it again: y feeds on draws of A x and x on draws of A'y, and the two together must shrink on
  // average.
  p.eta = 0.75 * a * a * p.tau / draw;
  p.beta = p.mu * p.tau;

  double rest = 0;
  for (int k = memory_.stage; k < total; ++k) rest += weights[static_cast<std::size_t>(k)];
  const double share = weights[static_cast<std::size_t>(memory_.stage)] / rest;
  const double left = std::max(0.0, budget_left - static_cast<double>(plan.gradients));
  plan.stage.parameters = p;
  plan.curvature = L;
  plan.stage.iterations = to_count(share * left / traits_.gradients_per_iteration, 10);
  const bool noisy = memory_.noise > 1e-9 * (1e-300 + estimate.gradient_norm);
  if (const int decayed = memory_.stage - search_stages; noisy && decayed >= 0)
    plan.stage.schedule = {Decay::geometric, static_cast<double>(decayed) / decay_stages,
                           static_cast<double>(decayed + 1) / decay_stages,
                           std::min(1.0, 100 * traits_.gradients_per_iteration / budget_)};
  plan.reasons = {
      {"L", L,
       std::string(given_curvature_ ? "given" : "measured curvature") +
           (memory_.safety > 1 ? ", raised after trouble" : "")},
      {"mu", p.mu, "2 L"},
      {"rho", p.rho, "20 L: no limit cycle once rho > L"},
      {"tau", p.tau, noisy ? "1/(23 L), decays after a tenth of the budget" : "1/(23 L), no noise: no decay"},
      {"eta", p.eta, "0.75 (23 L)^2 tau"},
      {"beta", p.beta, "mu tau"}};
  ++memory_.stage;
  return plan;
}

}  // namespace bridle
