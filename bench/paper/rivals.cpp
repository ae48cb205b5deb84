// Question 8: the paper's algorithms and their rivals, gradient evaluations to reach eps by the judge.
#include "bench/paper/rivals.hpp"

namespace bridle::paper {
namespace {

std::vector<Contest> contests(bool quick) {
  constexpr GradientNoise additive{.additive = 0.3}, multiplicative{.multiplicative = 0.1};
  const std::vector<Family> families = {
      {"X = R^n, equality rows, additive noise", Region::whole_space, RowKind::equality, additive},
      {"box, equality rows, additive noise", Region::box, RowKind::equality, additive},
      {"box, inequality rows, additive noise", Region::box, RowKind::inequality, additive},
      {"X = R^n, equality rows, multiplicative noise", Region::whole_space, RowKind::equality,
       multiplicative},
      {"box, equality rows, multiplicative noise", Region::box, RowKind::equality, multiplicative},
      {"box, inequality rows, multiplicative noise", Region::box, RowKind::inequality, multiplicative},
      {"X = R^n, equality rows, no noise", Region::whole_space, RowKind::equality, {}},
      {"box, inequality rows, no noise", Region::box, RowKind::inequality, {}},
  };
  std::vector<Contest> out;
  for (const Family& family : families)
    out.push_back({family, Measure::relative, quick ? 1e4 : 1e5, quick ? 3u : 9u, quick ? 3u : 9u});
  return out;
}

const Cell* find_cell(const std::vector<Cell>& cells, const Contest& contest, std::string_view name) {
  for (const Cell& cell : cells)
    if (cell.contest == &contest && cell.method->name == name && cell.reason.empty()) return &cell;
  return nullptr;
}

// Does `winner` need fewer evaluations than `loser` at the smallest eps that either reaches?
std::string compare(const std::vector<Cell>& cells, const Contest& contest, std::string_view winner,
                    std::string_view loser) {
  const Cell *a = find_cell(cells, contest, winner), *b = find_cell(cells, contest, loser);
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

void write_tables(const Bench& bench, const std::vector<Contest>& all, const std::vector<Cell>& cells) {
  TextFile csv(bench.data / "rivals.csv");
  csv.line(
      "family,method,eps,applies,median_evaluations,lower_quartile,upper_quartile,reached,runs,settings_"
      "tried,"
      "tau,eta,beta,mu,rho,alpha");
  TextFile table(bench.tables / "rivals.md");
  for (const Contest& contest : all) {
    table.line("### {}\n", contest.family.name);
    table.line("| method | eps = 0.1 | 0.03 | 0.01 | 0.003 |");
    table.line("| --- | --- | --- | --- | --- |");
    std::string absent;
    for (const Cell& cell : cells) {
      if (cell.contest != &contest) continue;
      if (!cell.reason.empty()) {
        absent += fmt::format("{}{} ({})", absent.empty() ? "" : ", ", cell.method->name, cell.reason);
        csv.line("\"{}\",{},,no,,,,,,,,,,,,", contest.family.name, cell.method->name);
        continue;
      }
      std::string line = fmt::format("| {} |", cell.method->name);
      for (std::size_t k = 0; k < target_count; ++k) {
        const Numbers values = cell.at(k);
        const Parameters p = parameters_of(*cell.method, cell.chosen[cell.setting_at(k)]);
        line += " " + cell_text(values, contest.budget) + " |";
        csv.line("\"{}\",{},{},yes,{},{},{},{},{},{},{}", contest.family.name, cell.method->name, targets[k],
                 median(values), quantile(values, 0.25), quantile(values, 0.75),
                 std::count_if(values.begin(), values.end(), [](double e) { return e < infinity; }),
                 contest.problems, cell.tried, constants_text(*cell.method, p));
      }
      table.line("{}", line);
    }
    table.line("\nDoes not apply: {}.\n", absent.empty() ? "none" : absent);
  }
}

void write_verdict(const Bench& bench, const std::vector<Contest>& all, const std::vector<Cell>& cells) {
  TextFile verdict(bench.tables / "rivals_verdict.md");
  verdict.line(
      "| family | Algorithm 3 before 1 | 1 before penalty-sgd | 1 before alacaoglu-wright-penalty | 1 before "
      "lu-mei-xiao | 1 before stoc-ialm | 3 before stoc-ialm | 1 before plain-alm |");
  verdict.line("| --- | --- | --- | --- | --- | --- | --- | --- |");
  for (const Contest& contest : all) {
    std::string line =
        fmt::format("| {} | {} |", contest.family.name, compare(cells, contest, "storm", "smoothed"));
    for (const auto* rival : {"penalty-sgd", "alacaoglu-wright-penalty", "lu-mei-xiao", "stoc-ialm"})
      line += " " + compare(cells, contest, "smoothed", rival) + " |";
    line += " " + compare(cells, contest, "storm", "stoc-ialm") + " |";
    line += " " + compare(cells, contest, "smoothed", "plain-alm") + " |";
    verdict.line("{}", line);
  }
}

// How often each method is the fastest, over all families and eps that some method reaches.
void write_winners(const Bench& bench, const std::vector<Contest>& all, const std::vector<Cell>& cells) {
  std::vector<std::pair<std::string_view, int>> wins;
  for (const AlgorithmDescription& method : all_algorithms()) wins.emplace_back(method.name, 0);
  int races = 0;
  std::size_t tried = 0;
  for (const Cell& cell : cells) tried += cell.tried;
  for (const Contest& contest : all)
    for (std::size_t k = 0; k < target_count; ++k) {
      double best = infinity;
      for (const Cell& cell : cells)
        if (cell.contest == &contest && cell.reason.empty()) best = std::min(best, median(cell.at(k)));
      if (!(best < infinity)) continue;
      ++races;
      for (const Cell& cell : cells)
        if (cell.contest == &contest && cell.reason.empty() && median(cell.at(k)) == best)
          for (auto& [name, count] : wins) count += name == cell.method->name;
    }
  std::stable_sort(wins.begin(), wins.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string list;
  for (const auto& [name, count] : wins)
    if (count > 0) list += fmt::format("{}`{}` {}", list.empty() ? "" : ", ", name, count);
  TextFile out(bench.tables / "rivals_winners.md");
  out.line(
      "Fastest (ties count for each) in the {} pairs of family and eps that some method reaches (question "
      "8): {}.",
      races, list);
  int pairs = 0, plain_first = 0, even = 0;
  for (const Contest& contest : all) {
    const Cell *ours = find_cell(cells, contest, "smoothed"), *plain = find_cell(cells, contest, "plain-alm");
    if (!ours || !plain) continue;
    for (std::size_t k = 0; k < target_count; ++k) {
      const double a = median(ours->at(k)), b = median(plain->at(k));
      pairs += std::min(a, b) < infinity;
      plain_first += b < a;
      even += a == b && a < infinity;
    }
  }
  int families = 0, ialm_first = 0;
  for (const Contest& contest : all) {
    const std::string verdict = compare(cells, contest, "smoothed", "stoc-ialm");
    families += verdict != "-";
    ialm_first += verdict.starts_with("**no**");
  }
  TextFile plain(bench.tables / "rivals_plain.md");
  plain.line(
      "Against Algorithm 1 alone `plain-alm` is faster in {} of {} pairs and even in {}; `stoc-ialm` is "
      "before it "
      "in {} of {} families, at the smallest eps that one of the two reaches.",
      plain_first, pairs, even, ialm_first, families);
  TextFile effort(bench.tables / "rivals_effort.md");
  effort.line("{} settings were tried on the tuning problems. {}", tried, bounds_text(cells));
}

// Where stochastic-sqp, which may solve with A A' at every step, is the first.
void write_sqp(const Bench& bench, const std::vector<Contest>& all, const std::vector<Cell>& cells) {
  int pairs = 0, first = 0;
  std::string list;
  for (const Contest& contest : all) {
    const Cell* sqp = find_cell(cells, contest, "stochastic-sqp");
    if (!sqp) continue;
    std::string where;
    for (std::size_t k = 0; k < target_count; ++k) {
      double best = infinity;
      for (const Cell& cell : cells)
        if (cell.contest == &contest && cell.reason.empty()) best = std::min(best, median(cell.at(k)));
      if (!(best < infinity)) continue;
      ++pairs;
      if (median(sqp->at(k)) > best) continue;
      ++first;
      where += fmt::format("{}{:g}", where.empty() ? "" : ", ", targets[k]);
    }
    const std::string& name = contest.family.name;
    if (!where.empty())
      list +=
          fmt::format("{}{}: eps = {}", list.empty() ? "" : "; ", name.substr(name.rfind(", ") + 2), where);
  }
  TextFile out(bench.tables / "rivals_sqp.md");
  out.line(
      "On X = R^n with equality rows `stochastic-sqp`, which solves with a factor of A A' at every step, is "
      "the "
      "first, or as fast, in {} of {} pairs{}{}; it has no answer to a set X.",
      first, pairs, list.empty() ? "" : " (", list.empty() ? "" : list + ")");
}

}  // namespace

void measure_rivals(const Bench& bench) {
  const std::vector<Contest> all = contests(bench.quick);
  const std::vector<Cell> cells = make_cells(all);
  write_tables(bench, all, cells);
  write_verdict(bench, all, cells);
  write_winners(bench, all, cells);
  write_sqp(bench, all, cells);
}

}  // namespace bridle::paper
