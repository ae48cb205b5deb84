// Question 4: does a constant rho suffice? Feasibility against the budget, all methods from the same rho.
#include "bridle/algorithms/baselines/penalty.hpp"

#include "bench/paper/bench.hpp"
#include "bench/paper/statistics.hpp"

namespace bridle::paper {
namespace {

struct Entry {
  const char* algorithm;
  double order;  // tau ~ T^-order; 0: the method shrinks tau itself
  const char* penalty;
  double growth = 0;  // of rho_t
};
constexpr Entry entries[] = {
    {"smoothed", 0.5, "constant"},
    {"storm", 1.0 / 3, "constant"},
    {"penalty-sgd", 0.5, "constant"},
    {"alacaoglu-wright-penalty", 0, "rho t^(1/5)", alacaoglu_wright_orders.growth},
    {"lu-mei-xiao", 0, "rho t^(1/3)", lu_mei_xiao_orders.growth},
};
constexpr double rho = 2, first_budget = 1e3;

struct Outcome {
  double infeasibility, error;
};

Outcome run_once(const Entry& entry, RowKind rows, double budget, std::uint64_t seed) {
  const Instance instance = make_instance({"", Region::box, rows, {.additive = 0.5}}, seed);
  const StandardForm form(instance.problem, literal_scaling());
  Parameters p = practical(0.1 * std::pow(budget / first_budget, -entry.order), rho);
  if (entry.order == 0) {  // the growing penalties: their own orders in t, the largest stable constants
    p.tau = 0.3;
    p.alpha = 1;
  }
  const auto steps =
      static_cast<std::uint64_t>(budget / find_algorithm(entry.algorithm)->gradients_per_iteration);
  Run run(form, entry.algorithm, p, steps, seed);
  run.advance_to(steps);
  const Certificate certificate = judge(form, run.state().x, run.state().y, true);
  return {residual_norm(form, run.state().x), certificate.error()};
}

}  // namespace

void measure_constant_penalty(const Bench& bench) {
  const std::size_t seeds = bench.quick ? 6 : 9;
  Numbers budgets;
  for (double budget = first_budget; budget <= (bench.quick ? 1.1e5 : 3.3e5); budget *= std::sqrt(10.0))
    budgets.push_back(std::round(budget));
  constexpr RowKind kinds[] = {RowKind::equality, RowKind::inequality};
  constexpr std::size_t entry_count = std::size(entries);
  const std::size_t cells = std::size(kinds) * entry_count * budgets.size();
  std::vector<std::vector<Outcome>> outcomes(cells, std::vector<Outcome>(seeds));
  in_parallel(cells * seeds, [&](std::size_t job) {
    const std::size_t cell = cells - 1 - job / seeds, k = cell % budgets.size();
    const std::size_t entry = cell / budgets.size() % entry_count;
    outcomes[cell][job % seeds] =
        run_once(entries[entry], kinds[cell / budgets.size() / entry_count], budgets[k], job % seeds);
  });

  TextFile csv(bench.data / "constant_penalty.csv");
  csv.line("rows,method,evaluations,median_infeasibility,lower_quartile,upper_quartile,median_error");
  TextFile table(bench.tables / "constant_penalty.md");
  std::string head = "| rows | method | rho_t |", rule = "| --- | --- | --- |";
  for (const double budget : budgets) {
    head += fmt::format(" {:.0e} |", budget);
    rule += " --- |";
  }
  table.line("{} slope |\n{} --- |", head, rule);
  std::vector<Numbers> slopes(entry_count);
  std::size_t cell = 0;
  for (const RowKind kind : kinds)
    for (const Entry& entry : entries) {
      const char* rows = kind == RowKind::equality ? "equality" : "inequality";
      std::string line = fmt::format("| {} | {} | {} |", rows, entry.algorithm, entry.penalty);
      std::vector<Numbers> values;
      for (const double budget : budgets) {
        Numbers broken, error;
        for (const Outcome& outcome : outcomes[cell++]) {
          broken.push_back(outcome.infeasibility);
          error.push_back(outcome.error);
        }
        csv.line("{},{},{:.0f},{:.6e},{:.6e},{:.6e},{:.6e}", rows, entry.algorithm, budget, median(broken),
                 quantile(broken, 0.25), quantile(broken, 0.75), median(error));
        line += fmt::format(" {:.1e} |", median(broken));
        values.push_back(broken);
      }
      const Interval s = log_slope(budgets, values);
      slopes[static_cast<std::size_t>(&entry - entries)].push_back(s.value);
      table.line("{} {:.2f} [{:.2f}, {:.2f}] |", line, s.value, s.low, s.high);
    }
  TextFile says(bench.tables / "constant_penalty_says.md");
  std::string list;
  for (std::size_t k = 0; k < entry_count; ++k)
    list += fmt::format("{}`{}` {:.2f} to {:.2f}{}", k ? ", " : "", entries[k].algorithm,
                        quantile(slopes[k], 0), quantile(slopes[k], 1),
                        entries[k].growth > 0 ? fmt::format(" (1/rho_t: {:.2f})", -entries[k].growth) : "");
  says.line("the slopes of the infeasibility over both kinds of rows are {}.", list);
  table.line("");
  table.line("Median over {} problems of |A x_T - b| in the paper's form (slacks included); rho = {}.", seeds,
             rho);
}

}  // namespace bridle::paper
