#include "bridle/run/rule.hpp"

#include <chrono>
#include <cmath>

#include "bridle/core/error.hpp"
#include "bridle/run/theory_constants.hpp"

namespace bridle {
namespace {

class Automatic final : public Rule {
 public:
  Automatic(const Problem& problem, const SolveOptions& options, double budget, double cost)
      : rule_(problem, budget, cost, options.seed, options.curvature) {}
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
    plan_.stage.iterations = static_cast<std::uint64_t>(std::max(1.0, budget_left / cost_));
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
  if (options.source == ParameterSource::automatic)
    return std::make_unique<Automatic>(problem, options, budget, cost);
  StagePlan plan;
  plan.scaling.metric = MetricKind::identity;
  plan.curvature = options.curvature.value_or(problem.objective().smoothness().value_or(1));
  if (options.source == ParameterSource::given) {
    if (!options.given) throw InputError("parameters were said to be given, but none are");
    const auto& [p, schedule, metric] = *options.given;
    plan.scaling.metric = metric;
    plan.stage = {p, schedule, 0};
    plan.reasons = {{"tau", p.tau, "given"}, {"eta", p.eta, "given"}, {"beta", p.beta, "given"},
                    {"mu", p.mu, "given"},   {"rho", p.rho, "given"}, {"alpha", p.alpha, "given"}};
    return std::make_unique<Fixed>("given parameters", std::move(plan), cost);
  }
  const auto [constants, origins] = theory_constants(problem, options);
  plan.stage.parameters = theory_plain(constants, budget / cost);
  (void)algorithm;
  plan.reasons = origins;
  const Parameters& p = plan.stage.parameters;
  plan.reasons.insert(plan.reasons.end(),
                      {{"mu", p.mu, "max(2, 4 L_f)"},
                       {"tau", p.tau, "1/(6 lambda^2 sqrt T)"},
                       {"eta", p.eta, "the smallest of the theory's three bounds"},
                       {"beta", p.beta, "min(tau/100, 1/(50 lambda), eta/(36 mu sbar^2))"}});
  return std::make_unique<Fixed>("theory's parameters", std::move(plan), cost);
}

}  // namespace bridle
