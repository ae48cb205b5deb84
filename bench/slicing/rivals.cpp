// What is usually done with linear programs alone: the relaxation rounded, and successive linear programs
// (PSUM) whose costs push fractions apart. Both solve the whole formulation, with the cut, by Clp.
//
// Usage: bench_slicing INSTANCE.toml      prints one line of JSON
#include <algorithm>
#include <cmath>
#include <ctime>
#include <exception>
#include <numeric>

#include <ClpSimplex.hpp>
#include <fmt/format.h>

#include "bridle/apps/slicing/formulation.hpp"
#include "bridle/apps/slicing/instance_file.hpp"
#include "bridle/apps/slicing/judge.hpp"
#include "bridle/apps/slicing/router.hpp"

namespace bridle {
namespace {

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void load(ClpSimplex& clp, const Formulation& formulation) {
  clp.setLogLevel(0);
  clp.resize(0, static_cast<int>(formulation.variables()));
  for (int j = 0; j < clp.numberColumns(); ++j) {
    clp.setColumnBounds(j, 0, 1);
    clp.setObjectiveCoefficient(j, formulation.cost(j));
  }
  for (const Rows* rows : {&formulation.structure(), &formulation.capacities()}) {
    const int count = static_cast<int>(rows->count());
    std::vector<CoinBigIndex> starts{0};
    std::vector<int> columns;
    std::vector<double> values;
    std::vector<double> lower, upper;
    for (Index i = 0; i < rows->count(); ++i) {
      for (SparseRows::InnerIterator it(rows->matrix, i); it; ++it) {
        columns.push_back(static_cast<int>(it.col()));
        values.push_back(it.value());
      }
      starts.push_back(static_cast<CoinBigIndex>(columns.size()));
      lower.push_back(std::max(rows->lower[i], -COIN_DBL_MAX));
      upper.push_back(rows->upper[i]);
    }
    clp.addRows(count, lower.data(), upper.data(), starts.data(), columns.data(), values.data());
  }
}

// Function by function, the surest first, to its largest host with room; infinite where one finds none or the
// links do not suffice.
double rounded_cost(const Formulation& formulation, const double* x) {
  const SliceInstance& instance = formulation.instance();
  const auto& choices = formulation.choices();
  const auto part = [&](std::size_t c, std::size_t j) { return x[choices[c].first + static_cast<Index>(j)]; };
  const auto largest = [&](std::size_t c) {
    double most = 0;
    for (std::size_t j = 0; j < choices[c].hosts.size(); ++j) most = std::max(most, part(c, j));
    return most;
  };
  std::vector<std::size_t> order(choices.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return largest(a) > largest(b); });
  Placement placement;
  for (const auto& flow : instance.flows) placement.emplace_back(flow.chain.size(), instance.nodes.size());
  std::vector<double> room;
  for (const auto& node : instance.nodes) room.push_back((1 + 1e-9) * node.capacity);
  for (const std::size_t c : order) {
    Hosting& hosting = placement[choices[c].flow];
    const double rate = instance.flows[choices[c].flow].rate;
    std::size_t best = choices[c].hosts.size();
    for (std::size_t j = 0; j < choices[c].hosts.size(); ++j) {
      const std::size_t node = choices[c].hosts[j];
      const bool taken = std::find(hosting.begin(), hosting.end(), node) != hosting.end();
      if (!taken && room[node] >= rate && (best == choices[c].hosts.size() || part(c, j) > part(c, best)))
        best = j;
    }
    if (best == choices[c].hosts.size()) return infinity;
    hosting[choices[c].function] = choices[c].hosts[best];
    room[choices[c].hosts[best]] -= rate;
  }
  Router router(instance, penalty_of_overload);
  const auto plan = router.plan(placement);
  if (!plan) return infinity;
  const Verdict verdict = judge_plan(instance, *plan);
  return verdict.feasible() ? verdict.cost : infinity;
}

bool all_decided(const Formulation& formulation, const double* x) {
  for (const auto& choice : formulation.choices()) {
    double most = 0;
    for (std::size_t j = 0; j < choice.hosts.size(); ++j)
      most = std::max(most, x[choice.first + static_cast<Index>(j)]);
    if (most < 0.99) return false;
  }
  return true;
}

// Costs sigma p (x + eps)^(p-1) on the hosts, sigma growing and eps shrinking.
int successive_programs(ClpSimplex& clp, const Formulation& formulation) {
  constexpr double p = 0.5;
  double sigma = 2, eps = 1e-3;
  int programs = 1;
  for (; programs <= 20 && !all_decided(formulation, clp.primalColumnSolution()); ++programs) {
    for (Index j = formulation.first_host_variable(); j < formulation.variables(); ++j)
      clp.setObjectiveCoefficient(
          static_cast<int>(j),
          sigma * p * std::pow(std::max(0.0, clp.primalColumnSolution()[j]) + eps, p - 1));
    clp.primal(1);
    sigma *= 1.1;
    eps *= 0.7;
  }
  return programs;
}

std::string number(double v) { return std::isfinite(v) ? fmt::format("{:.10g}", v) : "null"; }

int run(const std::string& path) {
  const SliceInstance instance = read_instance(path);
  const double start = processor_seconds();
  const Formulation formulation(instance);
  ClpSimplex clp;
  load(clp, formulation);
  clp.dual();
  if (clp.status() != 0) {
    fmt::print("{{\"lp\": null}}\n");
    return 0;
  }
  const double value = clp.objectiveValue();
  const double rounded = rounded_cost(formulation, clp.primalColumnSolution());
  const double lp_seconds = processor_seconds() - start;
  const int programs = successive_programs(clp, formulation);
  const double psum = rounded_cost(formulation, clp.primalColumnSolution());
  fmt::print(
      "{{\"lp\": {}, \"rounded\": {}, \"lp_seconds\": {:.3f}, \"psum\": {}, \"programs\": {}, "
      "\"psum_seconds\": {:.3f}}}\n",
      number(value), number(rounded), lp_seconds, number(psum), programs, processor_seconds() - start);
  return 0;
}

}  // namespace
}  // namespace bridle

int main(int count, char** arguments) try {
  if (count != 2) {
    fmt::print(stderr, "usage: bench_slicing INSTANCE.toml\n");
    return 2;
  }
  return bridle::run(arguments[1]);
} catch (const std::exception& error) {
  fmt::print(stderr, "bench_slicing: {}\n", error.what());
  return 2;
}
