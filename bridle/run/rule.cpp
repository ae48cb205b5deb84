#include "bridle/run/rule.hpp"

#include <cmath>

#include "bridle/core/count.hpp"
#include "bridle/core/error.hpp"
#include "bridle/params/first_batch.hpp"
#include "bridle/params/formula.hpp"
#include "bridle/run/linearised_rule.hpp"
#include "bridle/run/theory_constants.hpp"

namespace bridle {
namespace {

class Automatic final : public Rule {
 public:
  Automatic(const Problem& problem, const SolveOptions& options, double budget, const RuleTraits& traits)
      : rule_(problem, budget, traits, options.seed, options.curvature) {}
  std::string name() const override {
    return rule_.regime() == Regime::noisy ? "noisy regime" : "stiff regime";
  }
  std::optional<StagePlan> next(const OriginalState& state, const std::optional<StageReport>& last,
                                double budget_left) override {
    return rule_.next(state, last, budget_left);
  }
  std::shared_ptr<const StandardForm> form_of(const Scaling& scaling) const override {
    return rule_.form_of(scaling);
  }
  void expect(double budget) override { rule_.expect(budget); }
  void restate(const Problem& problem) override { rule_.restate(problem); }
  void save(ArchiveWriter& archive) override { rule_.transfer(archive); }
  void load(ArchiveReader& archive) override { rule_.transfer(archive); }

 private:
  AutomaticRule rule_;
};

// One stage from beginning to end.
class Fixed final : public Rule {
 public:
  Fixed(std::string name, const Problem& problem, StagePlan plan, double cost)
      : name_(std::move(name)), problem_(problem), plan_(std::move(plan)), cost_(cost) {}
  std::string name() const override { return name_; }
  std::optional<StagePlan> next(const OriginalState&, const std::optional<StageReport>&,
                                double budget_left) override {
    if (used_) return std::nullopt;
    used_ = true;
    plan_.stage.iterations = to_count(budget_left / cost_);
    plan_.form = form_of(plan_.scaling);
    return plan_;
  }
  std::shared_ptr<const StandardForm> form_of(const Scaling& scaling) const override {
    return std::make_shared<StandardForm>(problem_, scaling);
  }
  void restate(const Problem& problem) override { problem_ = problem; }
  void save(ArchiveWriter& archive) override { archive(used_); }
  void load(ArchiveReader& archive) override { archive(used_); }

 private:
  std::string name_;
  Problem problem_;
  StagePlan plan_;
  double cost_;
  bool used_ = false;
};

// The largest weight of a row in a draw: how much larger one draw is than the mean.
double largest_draw_weight(const Problem& problem) {
  if (!problem.stochastic_rows())
    return std::max(1.0, static_cast<double>(problem.rows().count()) /
                             static_cast<double>(std::max<Index>(1, rows_per_draw(problem.rows().count()))));
  const Stream stream(0, Purpose::constraint_2);
  RowSample sample;
  double largest = 1;
  for (std::uint64_t k = 0; k < 100; ++k) {
    problem.stochastic_rows()->draw(stream.bits(k).first, sample);
    for (const auto& row : sample.rows) largest = std::max(largest, row.weight);
  }
  return largest;
}

// A rival's own rule: a penalty of ten times the curvature, the step half of what its smooth part bears,
// falling as 1/sqrt t.
StagePlan baseline_plan(const TheoryConstants& c) {
  const Formula L_f("L_f", c.smoothness), A("|A|", c.row_norm > 0 ? c.row_norm : 1);
  const Formula rho = rival_rho * L_f / squared(A), mu = rival_mu * L_f;
  const Formula tau = rival_tau / (L_f + mu.as("mu") + rho.as("rho") * squared(A));
  const Formula eta = rival_eta * rho.as("rho"), beta = rival_beta * mu.as("mu") * tau.as("tau");
  StagePlan plan;
  plan.scaling.metric = MetricKind::identity;
  plan.curvature = c.smoothness;
  plan.stage.parameters = ParameterFormulas{tau, eta, beta, mu, rho, rival_alpha}.values();
  plan.stage.schedule.decay = Decay::inverse_sqrt;
  plan.reasons = {rho.reason("rho"), mu.reason("mu"),     tau.reason("tau"),
                  eta.reason("eta"), beta.reason("beta"), {"alpha", rival_alpha, "fixed"}};
  return plan;
}

// The theorems' formulas on the user's own rows and columns.
StagePlan theory_plan(const Problem& problem, const SolveOptions& options,
                      const AlgorithmDescription& algorithm, double budget, double cost) {
  if (algorithm.samples_rows && !(options.dual_bound > 0) && !options.safeguard)
    throw InputError(
        "the theory's parameters need M_y of the dual safeguard, which takes constants of the problem that "
        "are not "
        "computed: give it with --dual-bound M");
  Stage whole{{}, {}, to_count(budget / cost)};
  if (algorithm.large_first_batch) whole.iterations = beside_first_batch(whole, options.batch, cost);
  const auto iterations = static_cast<double>(whole.iterations);  // T
  ConstantsWithOrigin known = theory_constants(problem, options, algorithm);
  const TheoryFormulas theory(known.constants);
  const ParameterFormulas p =
      algorithm.carries_estimate ? theory.storm(iterations) : theory.plain(iterations);
  StagePlan plan;
  plan.scaling.metric = MetricKind::identity;
  plan.curvature = known.constants.smoothness;
  plan.stage.parameters = p.values();
  plan.reasons = std::move(known.origins);
  plan.reasons.push_back({"T", iterations, "computed: the iterations that the budget pays for"});
  if (algorithm.large_first_batch)
    plan.reasons.push_back(
        {"N", static_cast<double>(first_batch(whole, options.batch)),
         "computed: T^(1/3), the first batch (the paper's T^(1/6) does not do for its proof)"});
  plan.reasons.push_back(theory.lambda_formula().reason("lambda"));
  for (const Reason& reason :
       {p.mu.reason("mu"), p.tau.reason("tau"), p.eta.reason("eta"), p.beta.reason("beta")})
    plan.reasons.push_back(reason);
  if (algorithm.carries_estimate) plan.reasons.push_back(p.alpha.reason("alpha"));
  return plan;
}

}  // namespace

std::unique_ptr<Rule> make_rule(const Problem& problem, const SolveOptions& options,
                                const AlgorithmDescription& algorithm, double budget, double cost) {
  if (problem.has_smooth_rows())
    return std::make_unique<LinearisedRule>(problem, cost, [&](const Problem& linear) {
      return make_rule(linear, options, algorithm, budget, cost);
    });
  if (options.source == ParameterSource::automatic && !algorithm.baseline)
    return std::make_unique<Automatic>(problem, options, budget,
                                       RuleTraits{cost, algorithm.carries_estimate,
                                                  algorithm.samples_rows ? largest_draw_weight(problem) : 0.0,
                                                  static_cast<double>(options.batch)});
  if (algorithm.baseline && options.source != ParameterSource::given) {
    const ConstantsWithOrigin known = estimated_constants(problem, options);
    StagePlan plan = baseline_plan(known.constants);
    plan.gradients = known.gradients;
    return std::make_unique<Fixed>("its own rule", problem, std::move(plan), cost);
  }
  if (options.source == ParameterSource::theory)
    return std::make_unique<Fixed>("theory's parameters", problem,
                                   theory_plan(problem, options, algorithm, budget, cost), cost);
  if (!options.given) throw InputError("parameters were said to be given, but none are");
  StagePlan plan;
  plan.curvature = known_or_measured_curvature(problem, options, plan.gradients).value;
  const auto& [p, schedule, metric, columns] = *options.given;
  if (columns.size() && columns.size() != problem.dimension())
    throw InputError("the given parameters scale " + std::to_string(columns.size()) +
                     " columns; the problem has " + std::to_string(problem.dimension()));
  if (algorithm.samples_rows && metric == MetricKind::cholesky)
    throw InputError("the given metric 'cholesky' needs all rows at once, and the algorithm '" +
                     std::string(algorithm.name) + "' sees them through draws: use 'diagonal' or 'identity'");
  plan.scaling.metric = metric;
  plan.scaling.columns = columns;
  plan.stage = {p, schedule, 0};
  plan.reasons = {{"tau", p.tau, "given"}, {"eta", p.eta, "given"}, {"beta", p.beta, "given"},
                  {"mu", p.mu, "given"},   {"rho", p.rho, "given"}, {"alpha", p.alpha, "given"}};
  return std::make_unique<Fixed>("given parameters", problem, std::move(plan), cost);
}

}  // namespace bridle
