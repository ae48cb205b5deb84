// Question 7: the paper's algorithms and their rivals, gradient evaluations to reach eps by the judge.
#include "bench/paper/rivals.hpp"

namespace bridle::paper {
namespace {

const std::vector<Family>& families() {
  constexpr GradientNoise additive{.additive = 0.3}, multiplicative{.multiplicative = 0.1};
  static const std::vector<Family> all = {
      {"X = R^n, equality rows, additive noise", Region::whole_space, RowKind::equality, additive},
      {"box, equality rows, additive noise", Region::box, RowKind::equality, additive},
      {"box, inequality rows, additive noise", Region::box, RowKind::inequality, additive},
      {"X = R^n, equality rows, multiplicative noise", Region::whole_space, RowKind::equality,
       multiplicative},
      {"box, equality rows, multiplicative noise", Region::box, RowKind::equality, multiplicative},
      {"box, inequality rows, multiplicative noise", Region::box, RowKind::inequality, multiplicative},
      {"box, equality rows known through draws, additive noise", Region::box, RowKind::drawn, additive},
      {"box, inequality rows, no noise", Region::box, RowKind::inequality, {}},
  };
  return all;
}

constexpr std::uint64_t tuning_seed =
    1000;  // problems of the tuning: 1000, 1001, ...; of the table: 0, 1, ...

// A method on a family: tuned per target, then measured.
struct Cell {
  const AlgorithmDescription* method;
  const Family* family;
  std::string reason;  // why it does not apply
  std::vector<Setting> grid;
  std::vector<std::vector<Reached>> tuning;    // by grid point and seed
  std::size_t chosen[target_count] = {};       // grid point per target
  std::vector<std::vector<Reached>> measured;  // by grid point (empty where not chosen) and seed
  Numbers at(std::size_t target) const {
    Numbers out;
    for (const Reached& run : measured[chosen[target]]) out.push_back(run.evaluations[target]);
    return out;
  }
};

// The grid point with the smallest median; where no point gets there, the one that ends nearest.
void choose(Cell& cell) {
  for (std::size_t k = 0; k < target_count; ++k) {
    double best = infinity, best_error = infinity;
    for (std::size_t g = 0; g < cell.grid.size(); ++g) {
      Numbers evaluations, error;
      for (const Reached& run : cell.tuning[g]) {
        evaluations.push_back(run.evaluations[k]);
        error.push_back(run.last_error);
      }
      // Upper median: an infinite entry among two is infinite.
      const double middle = quantile(evaluations, 1.0 * (evaluations.size() / 2) / (evaluations.size() - 1));
      if (middle < best || (middle == best && best == infinity && median(error) < best_error)) {
        best = middle;
        best_error = median(error);
        cell.chosen[k] = g;
      }
    }
  }
}

std::string cell_text(const Numbers& evaluations, double budget) {
  const double middle = median(evaluations);
  const auto reached =
      std::count_if(evaluations.begin(), evaluations.end(), [](double e) { return e < infinity; });
  if (!(middle < infinity)) return fmt::format("> {:.0e} ({} of {})", budget, reached, evaluations.size());
  const double upper = quantile(evaluations, 0.75);
  return fmt::format("{:.2g} ({:.2g}, {})", middle, quantile(evaluations, 0.25),
                     upper < infinity ? fmt::format("{:.2g}", upper) : std::string("-"));
}

const Cell* find_cell(const std::vector<Cell>& cells, const Family& family, std::string_view name) {
  for (const Cell& cell : cells)
    if (cell.family == &family && cell.method->name == name && cell.reason.empty()) return &cell;
  return nullptr;
}

// "yes", "no" or "-": does `winner` need fewer evaluations than `loser` at the smallest eps that either
// reaches?
std::string compare(const std::vector<Cell>& cells, const Family& family, std::string_view winner,
                    std::string_view loser) {
  const Cell *a = find_cell(cells, family, winner), *b = find_cell(cells, family, loser);
  if (!a || !b) return "-";
  for (std::size_t k = target_count; k-- > 0;) {
    const double first = median(a->at(k)), second = median(b->at(k));
    if (!(first < infinity) && !(second < infinity)) continue;
    return fmt::format("{} at {:g} ({})",
                       first < second    ? "yes"
                       : first == second ? "equal"
                                         : "**no**",
                       targets[k],
                       second < infinity && first < infinity ? fmt::format("factor {:.2g}", second / first)
                       : first < infinity                    ? std::string("the other never")
                                                             : std::string("it never"));
  }
  return "neither gets below the largest eps";
}

}  // namespace

void measure_rivals(const Bench& bench) {
  const std::size_t tuning_seeds = bench.quick ? 2 : 3, seeds = bench.quick ? 3 : 9;
  const double budget = bench.quick ? 1e4 : 1e5;
  std::vector<Cell> cells;
  for (const Family& family : families())
    for (const AlgorithmDescription& method : all_algorithms()) {
      Cell cell{&method, &family, does_not_apply(method, family), {}, {}, {}, {}};
      if (cell.reason.empty()) cell.grid = grid_of(method);
      cell.tuning.assign(cell.grid.size(), std::vector<Reached>(tuning_seeds));
      cell.measured.resize(cell.grid.size());
      cells.push_back(std::move(cell));
    }
  struct Job {
    Cell* cell;
    std::size_t point, seed;
  };
  std::vector<Job> jobs;
  for (Cell& cell : cells)
    for (std::size_t g = 0; g < cell.grid.size(); ++g)
      for (std::size_t s = 0; s < tuning_seeds; ++s) jobs.push_back({&cell, g, s});
  in_parallel(jobs.size(), [&](std::size_t j) {
    auto [cell, g, s] = jobs[j];
    cell->tuning[g][s] = run_rival(*cell->method, *cell->family, cell->grid[g], budget, tuning_seed + s);
  });
  jobs.clear();
  for (Cell& cell : cells) {
    if (!cell.reason.empty()) continue;
    choose(cell);
    for (const std::size_t g : cell.chosen) {
      if (!cell.measured[g].empty()) continue;
      cell.measured[g].resize(seeds);
      for (std::size_t s = 0; s < seeds; ++s) jobs.push_back({&cell, g, s});
    }
  }
  in_parallel(jobs.size(), [&](std::size_t j) {
    auto [cell, g, s] = jobs[j];
    cell->measured[g][s] = run_rival(*cell->method, *cell->family, cell->grid[g], budget, s);
  });

  TextFile csv(bench.data / "rivals.csv");
  csv.line(
      "family,method,eps,applies,median_evaluations,lower_quartile,upper_quartile,reached,runs,tau,rho,"
      "third");
  TextFile table(bench.tables / "rivals.md");
  for (const Family& family : families()) {
    table.line("### {}\n", family.name);
    table.line("| method | eps = 0.1 | 0.03 | 0.01 | 0.003 |");
    table.line("| --- | --- | --- | --- | --- |");
    for (const Cell& cell : cells) {
      if (cell.family != &family) continue;
      if (!cell.reason.empty()) {
        table.line("| {} | does not apply: {} | | | |", cell.method->name, cell.reason);
        csv.line("\"{}\",{},,no,,,,,,,,", family.name, cell.method->name);
        continue;
      }
      std::string line = fmt::format("| {} |", cell.method->name);
      for (std::size_t k = 0; k < target_count; ++k) {
        const Numbers values = cell.at(k);
        const Setting& s = cell.grid[cell.chosen[k]];
        line += " " + cell_text(values, budget) + " |";
        csv.line("\"{}\",{},{},yes,{},{},{},{},{},{},{},{}", family.name, cell.method->name, targets[k],
                 median(values), quantile(values, 0.25), quantile(values, 0.75),
                 std::count_if(values.begin(), values.end(), [](double e) { return e < infinity; }), seeds,
                 s.tau, s.rho, s.third);
      }
      table.line("{}", line);
    }
    table.line("");
  }

  TextFile verdict(bench.tables / "rivals_verdict.md");
  verdict.line(
      "| family | Algorithm 3 before 1 | 1 before penalty-sgd | 1 before alacaoglu-wright-penalty | 1 before "
      "lu-mei-xiao | 1 before stoc-ialm | 1 before plain-alm |");
  verdict.line("| --- | --- | --- | --- | --- | --- | --- |");
  for (const Family& family : families()) {
    std::string line = fmt::format("| {} | {} |", family.name, compare(cells, family, "storm", "smoothed"));
    for (const auto* rival :
         {"penalty-sgd", "alacaoglu-wright-penalty", "lu-mei-xiao", "stoc-ialm", "plain-alm"})
      line += " " + compare(cells, family, "smoothed", rival) + " |";
    verdict.line("{}", line);
  }
}

}  // namespace bridle::paper
