#include "bridle/run/rule.hpp"

#include <chrono>
#include <cmath>

#include "bridle/core/count.hpp"
#include "bridle/core/error.hpp"
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
  void save(ArchiveWriter& archive) override { rule_.transfer(archive); }
  void load(ArchiveReader& archive) override { rule_.transfer(archive); }

 private:
  AutomaticRule rule_;
};

// One stage from beginning to end.
class Fixed final : public Rule {
 public:
  Fixed(std::string name, StagePlan plan, double cost)
      : name_(std::move(name)), plan_(std::move(plan)), cost_(cost) {}
  std::string name() const override { return name_; }
  std::optional<StagePlan> next(const OriginalState&, const std::optional<StageReport>&,
                                double budget_left) override {
    if (used_) return std::nullopt;
    used_ = true;
    plan_.stage.iterations = to_count(budget_left / cost_);
    return plan_;
  }
  void save(ArchiveWriter& archive) override { archive(used_); }
  void load(ArchiveReader& archive) override { archive(used_); }

 private:
  std::string name_;
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
  const double row = c.row_norm > 0 ? c.row_norm * c.row_norm : 1;
  StagePlan plan;
  plan.scaling.metric = MetricKind::identity;
  plan.curvature = c.smoothness;
  Parameters& p = plan.stage.parameters;
  p.rho = 10 * c.smoothness / row;
  p.mu = 2 * c.smoothness;
  p.tau = 0.5 / (c.smoothness + p.mu + p.rho * row);
  p.eta = 0.1 * p.rho;
  p.beta = 0.1 * p.mu * p.tau;
  p.alpha = 0.1;
  plan.stage.schedule.decay = Decay::inverse_sqrt;
  plan.reasons = {{"rho", p.rho, "10 L_f / |A|^2"},
                  {"mu", p.mu, "2 L_f"},
                  {"tau", p.tau, "1/(2 (L_f + mu + rho |A|^2))"},
                  {"eta", p.eta, "rho / 10"},
                  {"beta", p.beta, "0.1 mu tau"},
                  {"alpha", p.alpha, "fixed"}};
  return plan;
}

// Wall time to samples: a short timing of the gradient. The deadline itself is kept by the driver.
double samples_in(double seconds, const Problem& problem) {
  using Clock = std::chrono::steady_clock;
  const Vector x = problem.starting_point();
  Vector gradient(x.size());
  const Index count = problem.objective().sample_count();
  const auto start = Clock::now();
  std::uint64_t evaluations = 0;
  double elapsed = 0;
  while (elapsed < std::min(0.02, 0.02 * seconds)) {
    problem.objective().gradient(
        x, count == endless ? evaluations : evaluations % static_cast<std::uint64_t>(count), gradient);
    ++evaluations;
    elapsed = std::chrono::duration<double>(Clock::now() - start).count();
  }
  // The step around the gradient, the judge and the finish take about as long again.
  return 0.5 * seconds * static_cast<double>(evaluations) / elapsed;
}

}  // namespace

double choose_budget(const Problem& problem, const SolveOptions& options, double cost) {
  const Index count = problem.objective().sample_count();
  const auto positive = [](double v, const char* what) {
    if (!(v >= 0) || !std::isfinite(v))
      throw InputError(std::string(what) + " is " + std::to_string(v) + "; it must be a finite number >= 0");
    return v > 0;
  };
  if (options.batch < 1)
    throw InputError("the batch is " + std::to_string(options.batch) + "; it must be >= 1");
  if (!(options.tolerance >= 0)) throw InputError("the tolerance must be >= 0");
  positive(options.seconds, "the time limit");
  if (positive(options.samples, "the number of samples")) return std::max(cost, options.samples);
  if (positive(options.epochs, "the number of epochs")) {
    if (count == endless)
      throw InputError("epochs need a finite sum; this objective is an endless stream: give samples");
    return std::max(cost, options.epochs * static_cast<double>(count));
  }
  if (options.seconds > 0) return std::max(cost, samples_in(options.seconds, problem));
  if (count == endless) return 1e6;
  return count == 1 ? 2e5 : 30 * static_cast<double>(count);
}

std::unique_ptr<Rule> make_rule(const Problem& problem, const SolveOptions& options,
                                const AlgorithmDescription& algorithm, double budget, double cost) {
  if (options.source == ParameterSource::automatic && !algorithm.baseline)
    return std::make_unique<Automatic>(
        problem, options, budget,
        RuleTraits{cost, algorithm.carries_estimate,
                   algorithm.samples_rows ? largest_draw_weight(problem) : 0.0});
  StagePlan plan;
  plan.scaling.metric = MetricKind::identity;
  plan.curvature = options.curvature.value_or(problem.objective().smoothness().value_or(1));
  if (options.source == ParameterSource::given) {
    if (!options.given) throw InputError("parameters were said to be given, but none are");
    const auto& [p, schedule, metric, columns] = *options.given;
    if (columns.size() && columns.size() != problem.dimension())
      throw InputError("the given parameters scale " + std::to_string(columns.size()) +
                       " columns; the problem has " + std::to_string(problem.dimension()));
    if (algorithm.samples_rows && metric == MetricKind::cholesky)
      throw InputError("the given metric 'cholesky' needs all rows at once, and the algorithm '" +
                       std::string(algorithm.name) +
                       "' sees them through draws: use 'diagonal' or 'identity'");
    plan.scaling.metric = metric;
    plan.scaling.columns = columns;
    plan.stage = {p, schedule, 0};
    plan.reasons = {{"tau", p.tau, "given"}, {"eta", p.eta, "given"}, {"beta", p.beta, "given"},
                    {"mu", p.mu, "given"},   {"rho", p.rho, "given"}, {"alpha", p.alpha, "given"}};
    return std::make_unique<Fixed>("given parameters", std::move(plan), cost);
  }
  const auto [constants, origins] = theory_constants(problem, options);
  if (algorithm.baseline) return std::make_unique<Fixed>("its own rule", baseline_plan(constants), cost);
  plan.stage.parameters = algorithm.carries_estimate ? theory_storm(constants, budget / cost)
                                                     : theory_plain(constants, budget / cost);
  plan.reasons = origins;
  const Parameters& p = plan.stage.parameters;
  plan.reasons.insert(
      plan.reasons.end(),
      {{"mu", p.mu, "max(2, 4 L_f)"},
       {"tau", p.tau,
        algorithm.carries_estimate ? "the theory's cap times T^(-1/3)" : "1/(6 lambda^2 sqrt T)"},
       {"eta", p.eta, "the smallest of the theory's three bounds"},
       {"beta", p.beta, "min(tau/100, 1/(50 lambda), eta/(36 mu sbar^2))"}});
  if (algorithm.carries_estimate) plan.reasons.push_back({"alpha", p.alpha, "48 (L_0^2 + L_f^2) tau^2"});
  return std::make_unique<Fixed>("theory's parameters", std::move(plan), cost);
}

}  // namespace bridle
