// Question 3: how fast do the quantities of the theorems fall with the number of gradient evaluations?
#include "bridle/diagnose/diagnosis.hpp"

#include "bench/paper/a9a.hpp"
#include "bench/paper/bench.hpp"
#include "bench/paper/statistics.hpp"
#include "tests/support/diagnosis_figures.hpp"

namespace bridle::paper {
namespace {

// What a theorem bounds at t*: |grad Psi(z)| for Algorithms 1 and 2; |v| and |A x - b| for 3 and 4, v the
// shortest vector of grad f(x) + A'y + N_X(x).
enum class Quantity { envelope, stationarity, feasibility };
constexpr const char* symbols[] = {"\\|grad Psi(z)\\|^2", "\\|v\\|^2", "\\|A x - b\\|^2"};

struct Case {
  int number;
  const char* algorithm;
  const char* problem;
  RowKind rows;
  GradientNoise noise;
  bool real_data = false;
  double order() const { return number <= 2 ? 0.5 : 1.0 / 3; }      // tau ~ T^-order
  double promise() const { return number <= 2 ? -0.5 : -2.0 / 3; }  // the theory's slope
  std::vector<Quantity> quantities() const {
    if (number <= 2) return {Quantity::envelope};
    return {Quantity::stationarity, Quantity::feasibility};
  }
};
constexpr GradientNoise additive{.additive = 1}, multiplicative{.multiplicative = 0.3};
constexpr Case cases[] = {
    {1, "smoothed", "quadratics, additive noise", RowKind::mixed, additive},
    {1, "smoothed", "quadratics, multiplicative noise", RowKind::mixed, multiplicative},
    {1, "smoothed", "a9a, logistic difference", RowKind::mixed, {}, true},
    {2, "safeguarded", "quadratics, drawn rows", RowKind::drawn, additive},
    {3, "storm", "quadratics, additive noise", RowKind::mixed, additive},
    {3, "storm", "quadratics, multiplicative noise", RowKind::mixed, multiplicative},
    {3, "storm", "a9a, logistic difference", RowKind::mixed, {}, true},
    {4, "safeguarded-storm", "quadratics, drawn rows", RowKind::drawn, additive},
};
constexpr double first_budget = 1e3;

// What a run needs to know of a problem.
struct Subject {
  Problem problem;
  double smoothness, row_norm;
  double dual_bound = infinity;
};

Subject subject_of(const Case& which, const Parameters& p, std::uint64_t seed, const A9a* data) {
  if (which.real_data) return {data->problem, data->smoothness, data->row_norm};
  Instance instance = make_instance({"", Region::box, which.rows, which.noise}, seed);
  const double bound = which.rows == RowKind::drawn ? formula_dual_bound(instance, p.mu, p.rho) : infinity;
  return {std::move(instance.problem), 1, instance.constants.row_norm, bound};
}

double measured(const StandardForm& form, const Diagnosis& diagnosis, const Iterate& at, Quantity quantity) {
  if (quantity == Quantity::envelope) return std::pow(envelope_gradient_norm(diagnosis, at.z), 2);
  if (quantity == Quantity::feasibility) return std::pow(residual_norm(form, at.x), 2);
  Vector slope(form.dimension()), point(form.variables());
  form.mean_gradient(at.x, slope, point);
  form.add_adjoint(at.y, slope);
  constexpr double h = 1e-7;  // X is polyhedral: a short projected step is along v exactly
  Vector moved = at.x - h * slope;
  form.project(moved);
  return ((at.x - moved) / h).squaredNorm();
}

// The means over t uniform on {1, ..., T} of what the case's theorem bounds, estimated with one t drawn from
// each of `strata` equal parts of the run.
Numbers run_once(const Case& which, double budget, std::uint64_t seed, int strata, const A9a* data) {
  const Parameters p = practical(0.1 * std::pow(budget / first_budget, -which.order()));
  const Subject subject = subject_of(which, p, seed, data);
  const StandardForm form(subject.problem, literal_scaling());
  const double per_step = find_algorithm(which.algorithm)->gradients_per_iteration;
  const auto steps = static_cast<std::uint64_t>(budget / per_step);
  const Diagnosis diagnosis(
      form, {.mu = p.mu, .rho = p.rho, .smoothness = subject.smoothness, .row_norm = subject.row_norm},
      which.real_data ? 1e-4 : 1e-8);
  Run run(form, which.algorithm, p, steps, seed, subject.dual_bound);
  const Stream times(seed, Purpose::output_time);
  const std::vector<Quantity> quantities = which.quantities();
  Numbers sums(quantities.size(), 0.0);
  for (int k = 0; k < strata; ++k) {
    const double share = (k + times.uniform(static_cast<std::uint64_t>(k))) / strata;
    run.advance_to(1 + static_cast<std::uint64_t>(share * static_cast<double>(steps - 1)));
    const Iterate now = run.state();
    for (std::size_t q = 0; q < quantities.size(); ++q)
      sums[q] += measured(form, diagnosis, now, quantities[q]) / strata;
  }
  return sums;
}

// A case with its values by quantity, budget and problem.
struct Series {
  const Case* which;
  std::size_t runs;
  int strata;
  std::vector<std::vector<Numbers>> values;
};

void write_row(TextFile& table, const Series& series, std::size_t q, const Numbers& budgets) {
  const Case& c = *series.which;
  const std::vector<Numbers>& values = series.values[q];
  const Interval all = slope_of_means(budgets, values);
  const std::vector<Numbers> tail(values.end() - 4, values.end());
  const Interval late = slope_of_means(Numbers(budgets.end() - 4, budgets.end()), tail);
  Numbers own;
  for (std::size_t r = 0; r < series.runs; ++r) {
    Numbers x, y;
    for (std::size_t k = 0; k < budgets.size(); ++k) {
      x.push_back(std::log10(budgets[k]));
      y.push_back(std::log10(values[k][r]));
    }
    own.push_back(slope(x, y));
  }
  const char* agrees = all.value <= c.promise() ? "yes"
                       : all.low <= c.promise() ? "within the interval"
                                                : "**no**";
  table.line(
      "| {} | {} | {} | {:.2e} ({:.2e}) | {:.2e} ({:.2e}) | {:.2f} [{:.2f}, {:.2f}] | {:.2f} [{:.2f}, "
      "{:.2f}] | "
      "{:.2f} | {:.2f} | {:.2f} | {} |",
      c.number, c.problem, symbols[static_cast<std::size_t>(c.quantities()[q])], mean(values.front()),
      median(values.front()), mean(values.back()), median(values.back()), all.value, all.low, all.high,
      late.value, late.low, late.high, median(own), quantile(own, 1), c.promise(), agrees);
}

}  // namespace

void measure_rates(const Bench& bench) {
  const std::optional<A9a> data = load_a9a();
  Numbers budgets;
  for (double budget = first_budget; budget <= (bench.quick ? 1.1e5 : 1.1e6); budget *= std::sqrt(10.0))
    budgets.push_back(std::round(budget));
  std::vector<Series> all;
  for (const Case& which : cases) {
    if (which.real_data && !data) continue;
    const std::size_t runs = which.real_data ? (bench.quick ? 2 : 4) : 8;
    const int strata = which.real_data ? (bench.quick ? 3 : 6) : (bench.quick ? 12 : 24);
    all.push_back({&which, runs, strata,
                   std::vector<std::vector<Numbers>>(which.quantities().size(),
                                                     std::vector<Numbers>(budgets.size(), Numbers(runs)))});
  }
  struct Job {
    Series* series;
    std::size_t budget, run;
  };
  std::vector<Job> jobs;  // long runs first, so that both threads end together
  for (std::size_t k = budgets.size(); k-- > 0;)
    for (Series& series : all)
      for (std::size_t run = 0; run < series.runs; ++run) jobs.push_back({&series, k, run});
  in_parallel(jobs.size(), [&](std::size_t j) {
    const auto [series, k, run] = jobs[j];
    const Numbers found = run_once(*series->which, budgets[k], run, series->strata, data ? &*data : nullptr);
    for (std::size_t q = 0; q < found.size(); ++q) series->values[q][k][run] = found[q];
  });

  TextFile csv(bench.data / "rates.csv");
  csv.line("algorithm,problem,quantity,run,evaluations,value");
  TextFile table(bench.tables / "rates.md");
  table.line(
      "| algorithm | problems | quantity | mean (median) at {:.0e} | at {:.0e} | slope of the mean, all "
      "budgets | "
      "last decade and a half | median of the runs' own slopes | flattest run | theory: at most | agrees |",
      budgets.front(), budgets.back());
  table.line("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
  for (const Series& series : all)
    for (std::size_t q = 0; q < series.values.size(); ++q) {
      const Case& c = *series.which;
      for (std::size_t k = 0; k < budgets.size(); ++k)
        for (std::size_t run = 0; run < series.runs; ++run)
          csv.line("{},\"{}\",{},{},{:.0f},{:.6e}", c.number, c.problem, static_cast<int>(c.quantities()[q]),
                   run, budgets[k], series.values[q][k][run]);
      write_row(table, series, q, budgets);
    }
  table.line(
      "\nArithmetic means, as the theorems state them, with medians beside: over 8 problems, {} values of t* "
      "a run "
      "(quadratics); over {} runs, {} values of t* (a9a). Intervals: 95% by the bootstrap over problems or "
      "runs.",
      bench.quick ? 12 : 24, bench.quick ? 2 : 4, bench.quick ? 3 : 6);
  if (!data)
    table.line(
        "\n**a9a is not here** (../shared/data/a9a/a9a.gz): the two rows on real data were left out of this "
        "run.");
}

}  // namespace bridle::paper
