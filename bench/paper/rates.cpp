// Question 2: how fast does E|grad Psi(z_t*)|^2 fall with the number of gradient evaluations?
#include "bridle/diagnose/diagnosis.hpp"

#include "bench/paper/bench.hpp"
#include "bench/paper/statistics.hpp"
#include "tests/support/diagnosis_figures.hpp"

namespace bridle::paper {
namespace {

struct Case {
  int number;
  const char* algorithm;
  RowKind rows;
  GradientNoise noise;
  double order;    // tau ~ T^-order
  double promise;  // the theory's slope
};
constexpr GradientNoise additive{.additive = 1}, multiplicative{.multiplicative = 0.3};
constexpr Case cases[] = {
    {1, "smoothed", RowKind::mixed, additive, 0.5, -0.5},
    {1, "smoothed", RowKind::mixed, multiplicative, 0.5, -0.5},
    {2, "safeguarded", RowKind::drawn, additive, 0.5, -0.5},
    {3, "storm", RowKind::mixed, additive, 1.0 / 3, -2.0 / 3},
    {3, "storm", RowKind::mixed, multiplicative, 1.0 / 3, -2.0 / 3},
    {4, "safeguarded-storm", RowKind::drawn, additive, 1.0 / 3, -2.0 / 3},
};
constexpr double first_budget = 1e3;

// The mean of |grad Psi(z_t)|^2 over t uniform on {1, ..., T}, estimated with one t drawn from each of
// `strata` equal parts of the run.
double squared_gradient(const Case& which, double budget, std::uint64_t seed, int strata) {
  const Instance instance = make_instance({"", Region::box, which.rows, which.noise}, seed);
  const StandardForm form(instance.problem, literal_scaling());
  const double per_step = find_algorithm(which.algorithm)->gradients_per_iteration;
  const auto steps = static_cast<std::uint64_t>(budget / per_step);
  const Parameters p = practical(0.1 * std::pow(budget / first_budget, -which.order));
  const Diagnosis diagnosis(
      form, {.mu = p.mu, .rho = p.rho, .smoothness = 1, .row_norm = instance.constants.row_norm}, 1e-8);
  Run run(form, which.algorithm, p, steps, seed);
  const Stream times(seed, Purpose::output_time);
  double sum = 0;
  for (int k = 0; k < strata; ++k) {
    const double share = (k + times.uniform(static_cast<std::uint64_t>(k))) / strata;
    run.advance_to(1 + static_cast<std::uint64_t>(share * static_cast<double>(steps - 1)));
    const double norm = envelope_gradient_norm(diagnosis, run.state().z);
    sum += norm * norm;
  }
  return sum / strata;
}

}  // namespace

void measure_rates(const Bench& bench) {
  const std::size_t seeds = 8;
  const int strata = bench.quick ? 12 : 24;
  Numbers budgets;
  for (double budget = first_budget; budget <= (bench.quick ? 1.1e5 : 1.1e6); budget *= std::sqrt(10.0))
    budgets.push_back(std::round(budget));
  constexpr std::size_t case_count = std::size(cases);
  std::vector<std::vector<Numbers>> values(case_count, std::vector<Numbers>(budgets.size(), Numbers(seeds)));
  // Long runs first, so that both threads end together.
  in_parallel(case_count * budgets.size() * seeds, [&](std::size_t job) {
    const std::size_t k = budgets.size() - 1 - job / (case_count * seeds);
    const std::size_t which = job / seeds % case_count, seed = job % seeds;
    values[which][k][seed] = squared_gradient(cases[which], budgets[k], seed, strata);
  });

  TextFile csv(bench.data / "rates.csv");
  csv.line("algorithm,noise,problem,evaluations,mean_squared_gradient");
  TextFile table(bench.tables / "rates.md");
  table.line(
      "| algorithm | noise | E\\|grad Psi\\|^2 at {:.0e} | at {:.0e} | slope, all budgets | slope, last "
      "decade and a half | flattest problem, all budgets | theory: at most | agrees |",
      budgets.front(), budgets.back());
  table.line("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
  for (std::size_t which = 0; which < case_count; ++which) {
    const Case& c = cases[which];
    const char* noise = c.noise.additive > 0 ? "additive" : "multiplicative";
    for (std::size_t k = 0; k < budgets.size(); ++k)
      for (std::size_t seed = 0; seed < seeds; ++seed)
        csv.line("{},{},{},{:.0f},{:.6e}", c.number, noise, seed, budgets[k], values[which][k][seed]);
    const Interval all = log_slope(budgets, values[which]);
    const std::vector<Numbers> tail(values[which].end() - 4, values[which].end());
    const Interval late = log_slope(Numbers(budgets.end() - 4, budgets.end()), tail);
    double flattest = -infinity;
    for (std::size_t seed = 0; seed < seeds; ++seed) {
      Numbers x, y;
      for (std::size_t k = 0; k < budgets.size(); ++k) {
        x.push_back(std::log10(budgets[k]));
        y.push_back(std::log10(values[which][k][seed]));
      }
      flattest = std::max(flattest, slope(x, y));
    }
    const char* agrees = all.value <= c.promise ? "yes"
                         : all.low <= c.promise ? "within the interval"
                                                : "**no**";
    table.line(
        "| {} | {} | {:.2e} | {:.2e} | {:.2f} [{:.2f}, {:.2f}] | {:.2f} [{:.2f}, {:.2f}] | {:.2f} | {:.2f} | "
        "{} |",
        c.number, noise, geometric_mean(values[which].front()), geometric_mean(values[which].back()),
        all.value, all.low, all.high, late.value, late.low, late.high, flattest, c.promise, agrees);
  }
  table.line("");
  table.line(
      "Geometric means over {} problems, {} values of t* per run; a slope is the mean of the problems' own, "
      "its interval "
      "95% by the bootstrap over problems.",
      seeds, strata);
}

}  // namespace bridle::paper
