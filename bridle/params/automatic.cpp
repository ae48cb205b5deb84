#include "bridle/params/automatic.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "bridle/core/count.hpp"
#include "bridle/core/formatted.hpp"
#include "bridle/params/noisy.hpp"

namespace bridle {
namespace {

constexpr int searching = static_cast<int>(search_stages);  // growing, each with fresh estimates
constexpr int decaying = static_cast<int>(decay_stages);

// Relative lengths of all stages: 1, 1, 2, 2, 4, 4, ... then equal pieces.
std::vector<double> stage_weights() {
  std::vector<double> weights;
  double sum = 0;
  for (int k = 0; k < searching; ++k) sum += std::pow(2.0, k / 2);
  for (int k = 0; k < searching; ++k) weights.push_back(search_share * std::pow(2.0, k / 2) / sum);
  for (int k = 0; k < decaying; ++k) weights.push_back((1 - search_share) / decaying);
  return weights;
}

constexpr const char* grows = ", grows as tau shrinks";

std::string blown_up() {
  return formatted("the iterates blew up: restarted from the last good point with steps %g times smaller",
                   blow_up_factor.value);
}

}  // namespace

Vector typical_columns(const ColumnStatistics& columns) {
  const Eigen::ArrayXd entries = columns.rows * columns.frequency.array();
  const Eigen::ArrayXd octaves =
      (columns.magnitude.array() > 0).select(columns.magnitude.array().log2(), 0.0);
  const Eigen::ArrayXd weights = entries * (1 - columns.frequency.array());  // sparse ones are compared
  const double usual = weights.sum() > 0 ? (weights * octaves).sum() / weights.sum() : 0;
  Vector out(columns.magnitude.size());
  for (Index j = 0; j < out.size(); ++j) {
    const double frequency = columns.frequency[j];
    const double unsure = few_entries * (1 - frequency),
                 unknown = unsure > 0 ? unsure / (entries[j] + unsure) : 0;
    double octave = usual;  // of a column without entries
    if (columns.magnitude[j] > 0) {
      const double apart = usual - octaves[j];
      const double by_chance =
          apart > 0 ? std::max<double>(chance_octaves, downward_octaves / entries[j]) : chance_octaves;
      octave = octaves[j] + (std::abs(apart) <= by_chance ? unknown * apart : 0);
    }
    const double magnitude = std::exp2(octave);
    out[j] = 1 / (magnitude * std::sqrt(std::max<double>(std::sqrt(frequency), rarest_column)));
  }
  return out;
}

Vector noisy_columns(const Problem& problem, const LinearModel& model) {
  Vector out = typical_columns(model.column_statistics());
  const bool ridge = model.ridge().size() > 0;
  if (ridge) {  // which must not be stiffer than the loss, on columns of tiny numbers
    const Vector most = (loss_curvature(model.loss()) / model.ridge().array()).sqrt();
    out = out.cwiseMin(most);
  }
  problem.set().make_admissible(out);
  return ridge ? rounded_columns(out) : out;
}

double sample_curvature(const LinearModel& model, const Vector& columns) {
  return loss_curvature(model.loss()) * model.mean_squared_norm(columns);
}

Vector rounded_columns(const Vector& columns) {
  constexpr double most = 32;
  constexpr Index one_in = 64, few = 256;  // how many columns are common: one in 64 of those beyond 256
  if (columns.size() == 0) return columns;
  const Eigen::ArrayXd octaves = columns.array().log() / std::numbers::ln2;
  const double middle = octaves.mean();
  double apart = 1;
  while ((octaves.maxCoeff() - octaves.minCoeff()) / apart >= most) apart *= 2;
  const Eigen::ArrayXd exact = (octaves - middle) / apart;
  Eigen::ArrayXd steps = exact.round();
  std::map<double, Index> columns_at;
  for (const double step : steps) ++columns_at[step];
  const auto is_common = [&](double step) {
    const auto found = columns_at.find(step);
    return found != columns_at.end() && one_in * found->second + few >= columns.size();
  };
  for (Index j = 0; j < columns.size(); ++j) {
    if (exact[j] == steps[j] || is_common(steps[j])) continue;
    const double beside = steps[j] + (exact[j] > steps[j] ? 1 : -1);
    if (is_common(beside)) steps[j] = beside;
  }
  return ((middle + apart * steps) * std::numbers::ln2).exp();
}

bool is_noisy(double sample_curvature, double curvature) {
  return sample_curvature >= noisy_ratio * curvature;
}

AutomaticRule::AutomaticRule(const Problem& problem, double budget, const RuleTraits& traits,
                             std::uint64_t seed, std::optional<double> given_curvature)
    : problem_(problem),
      reduced_(presolve(problem, traits.draw_weight == 0)),
      budget_(budget),
      traits_(traits),
      seed_(seed),
      given_curvature_(given_curvature) {
  memory_.columns = Vector::Ones(problem.dimension());
  memory_.column_curvature = Vector::Zero(problem.dimension());
  const LinearModel* model = problem.objective().as_linear_model();
  const bool many_rows = static_cast<double>(problem.rows().count()) > noisy_most_rows && traits.batch == 1;
  if (!model || many_rows || traits.draw_weight > 0) return;

  memory_.columns = noisy_columns(problem, *model);
  memory_.steps_cap = sample_curvature(*model, memory_.columns);
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
    plan->stage.parameters.alpha = storm_alpha;
    plan->reasons.push_back({"alpha", storm_alpha, "STORM's momentum at full step; falls with tau"});
  }
  return plan;
}

void AutomaticRule::restate(const Problem& problem) {
  problem_ = problem;
  reduced_ = presolve(problem, traits_.draw_weight == 0);
}

std::shared_ptr<const StandardForm> AutomaticRule::form_of(const Scaling& scaling) const {
  return std::make_shared<StandardForm>(reduced_, scaling);
}

std::optional<StagePlan> AutomaticRule::next_noisy(const std::optional<StageReport>& last,
                                                   double budget_left) {
  StagePlan plan;
  if (last && last->diverged && memory_.safety < most_safety) {
    memory_.safety *= blow_up_factor;
    plan.events.push_back(blown_up());
  } else if (memory_.stage > 0) {
    return std::nullopt;
  }
  ++memory_.stage;
  const Formula R("R", memory_.safety * memory_.steps_cap);
  const Formula L("L", memory_.safety * believed(memory_.curvature, plan));
  const Formula of_batch = batch_curvature(R, L, traits_.batch);
  const bool batches = traits_.batch > 1;
  const ParameterFormulas p = noisy_parameters(batches ? of_batch.as("R_K") : R, L);
  plan.curvature = L.value();
  plan.scaling.columns = memory_.columns;
  plan.form = form_of(plan.scaling);
  plan.stage = {p.values(),
                {.decay = Decay::cosine, .penalty_growth = growth()},
                to_count(budget_left / traits_.gradients_per_iteration)};
  plan.reasons = {{"L", L.value(), "largest curvature of the mean loss, power iteration on 2,000 samples"},
                  {"R", R.value(),
                   formatted("mean curvature of single samples; R/L >= %g and %s: noisy regime",
                             noisy_ratio.value, batches ? "batches" : "few rows")}};
  if (batches) plan.reasons.push_back(of_batch.reason("R_K", ", of means over a batch"));
  for (const Reason& reason :
       {p.mu.reason("mu"), p.rho.reason("rho", grows), p.tau.reason("tau", ", cosine decay to 0"),
        p.eta.reason("eta"), p.beta.reason("beta")})
    plan.reasons.push_back(reason);
  return plan;
}

// How far rho may grow as the steps shrink. An estimate of the pull of drawn rows that is carried along would
// not know of it.
double AutomaticRule::growth() const {
  return traits_.carries_estimate && traits_.draw_weight > 0 ? 1 : penalty_growth.value;
}

// The user's L, if there is one and it can be true.
double AutomaticRule::believed(double measured, StagePlan& plan) {
  if (!given_curvature_) return measured;
  const double lowest = trust_low * measured, highest = trust_high * measured;
  const double L = std::clamp(*given_curvature_, lowest, highest);
  if (L != *given_curvature_ && !memory_.corrected) {
    memory_.corrected = true;
    plan.events.push_back(
        formatted("the given L = %.3g does not fit the measured curvature %.3g: %.3g is used",
                  *given_curvature_, measured, L));
  }
  return L;
}

// Raises L when the last stage went in circles or blew up.
void AutomaticRule::heed(const StageReport& last, StagePlan& plan) {
  if (last.diverged && memory_.safety < most_safety) {
    memory_.safety *= blow_up_factor;
    memory_.previous_residual = infinity;
    --memory_.stage;  // once more, and if the budget is gone then briefly
    plan.events.push_back(blown_up());
    return;
  }
  const double noise = noise_floor * memory_.noise / (stiff_total * memory_.safety * memory_.curvature);
  const bool stalled = last.residual > stalled_residual * memory_.previous_residual &&
                       last.residual > noise && last.residual > 1e-9 * (1 + last.point_norm);
  // Rows seen through draws have a noise floor of their own: a stalled residual says nothing there.
  if (traits_.draw_weight == 0 && memory_.stage > 2 && stalled && last.progress < circling &&
      memory_.safety < most_stall_safety) {
    memory_.safety *= stall_factor;
    memory_.previous_residual = infinity;
    plan.events.push_back(formatted(
        "the residual stalls while z moves in circles: steps made %g times smaller", stall_factor.value));
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
    memory_.columns[j] =
        std::sqrt(largest / std::max(memory_.column_curvature[j], largest / (column_ratio * column_ratio)));
  problem_.set().make_admissible(memory_.columns);
  const LinearModel* model = problem_.objective().as_linear_model();
  if (model && model->ridge().size() > 0) memory_.columns = rounded_columns(memory_.columns);
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
  const bool new_metric = memory_.stage <= searching;
  if (new_metric) measure_columns(state, plan);
  plan.scaling.columns = memory_.columns;
  plan.form = form_of(plan.scaling);
  const StandardForm& form = *plan.form;
  const auto estimate =
      estimate_curvature(form, form.to_standard(state.x, state.slacks), memory_.stage == 0 ? 16 : 8, 8, seed_,
                         static_cast<std::uint64_t>(memory_.stage));
  plan.gradients += estimate.gradients;
  // Estimates in another metric say little about this one: let the old maximum fade when the metric moves.
  memory_.curvature = std::max(new_metric ? 0.5 * memory_.curvature : memory_.curvature, estimate.curvature);
  if (!(memory_.curvature > 1e-10 * estimate.gradient_norm))  // a linear objective: any positive L will do
    memory_.curvature = std::max(1e-300, linear_curvature * estimate.gradient_norm / (1 + state.x.norm()));
  if (estimate.noise > 0) memory_.noise = estimate.noise;
  if (const auto bound = problem_.objective().smoothness(); bound && *bound > 0)  // known in closed form
    memory_.curvature = std::min(memory_.curvature, *bound * memory_.columns.cwiseAbs2().maxCoeff());

  const Formula L("L", memory_.safety * believed(memory_.curvature, plan)), steep = stiff_total * L;
  const Formula mu = stiff_mu * L, rho = stiff_rho * L;
  Formula tau = 1 / steep;
  Formula eta = stiff_eta * squared(steep) * tau.as("tau");
  if (traits_.draw_weight > 0) {
    // One draw of the rows is larger than the mean by the weight of a row, in the metric of the rows. eta is
    // divided by it again: y feeds on draws of A x and x on draws of A'y, and the two together must shrink on
    // average.
    const Formula w("w", std::max(1.0, traits_.draw_weight * form.metric().diagonal_scale()));
    tau = 1 / ((stiff_total - stiff_rho) * L + rho.as("rho") * w);
    eta = stiff_eta * squared(steep) * tau.as("tau") / w;
    plan.reasons.push_back(
        {"w", w.value(), "largest weight of a row in a draw of the rows, in their metric"});
  }
  const Formula beta = mu.as("mu") * tau.as("tau");

  double rest = 0;
  for (int k = memory_.stage; k < total; ++k) rest += weights[static_cast<std::size_t>(k)];
  const double share = weights[static_cast<std::size_t>(memory_.stage)] / rest;
  const double left = std::max(0.0, budget_left - static_cast<double>(plan.gradients));
  plan.stage.parameters = ParameterFormulas{tau, eta, beta, mu, rho}.values();
  plan.curvature = L.value();
  plan.stage.iterations = to_count(share * left / traits_.gradients_per_iteration, 10);
  const bool noisy = memory_.noise > 1e-9 * (1e-300 + estimate.gradient_norm);
  if (const int decayed = memory_.stage - searching; noisy && decayed >= 0)
    plan.stage.schedule = {Decay::geometric, static_cast<double>(decayed) / decaying,
                           static_cast<double>(decayed + 1) / decaying,
                           std::min(1.0, decay_floor * traits_.gradients_per_iteration / budget_), growth()};
  plan.reasons.insert(plan.reasons.begin(), {"L", L.value(),
                                             std::string(given_curvature_ ? "given" : "measured curvature") +
                                                 (memory_.safety > 1 ? ", raised after trouble" : "")});
  for (const Reason& reason :
       {mu.reason("mu"),
        rho.reason("rho", std::string(": no limit cycle once rho > L") + (noisy ? grows : "")),
        tau.reason("tau", noisy ? formatted(", decays after %g of the budget", search_share.value)
                                : ", no noise: no decay"),
        eta.reason("eta"), beta.reason("beta")})
    plan.reasons.push_back(reason);
  ++memory_.stage;
  return plan;
}

}  // namespace bridle
