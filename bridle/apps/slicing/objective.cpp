#include "bridle/apps/slicing/objective.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "bridle/apps/slicing/branching.hpp"
#include "bridle/apps/slicing/chain_program.hpp"
#include "bridle/apps/slicing/router.hpp"
#include "bridle/apps/slicing/units.hpp"

namespace bridle {
namespace {

constexpr double close_enough = 0.005;  // relative, between a part that will do and one that will not
constexpr int most_attempts = 10;
constexpr double alike = 1e-4, rounding_of_part = 1e-7;

SliceInstance with_part_of_capacities(SliceInstance instance, double part) {
  for (auto& node : instance.nodes) node.capacity *= part;
  for (auto& link : instance.links) link.capacity *= part;
  return instance;
}

class Balancer {
 public:
  Balancer(const SliceInstance& instance, const SliceOptions& options, const SliceWatch& watch,
           const UncertainDemand* demand)
      : instance_(instance), options_(options), watch_(watch), demand_(demand) {
    quiet_.interrupted = watch.interrupted;
  }

  SliceResult execute() {
    SliceResult best = slice(instance_, options_, watch_, demand_);
    best.objective = SliceObjective::balance;
    if (!best.feasible()) return best;
    double bound = least_part();
    watch_.note(fmt::format("least traffic: largest use {:.2f}%, lower bound {:.2f}%",
                            100 * best.verdict.largest_use, 100 * bound));
    double too_small = bound;
    for (int k = 0; k < most_attempts && !over(); ++k) {
      if (best.verdict.largest_use <= too_small * (1 + close_enough)) break;
      const double part =
          k == 0 ? too_small * (1 + close_enough) : 0.5 * (too_small + best.verdict.largest_use);
      if (!improve(part, SearchFor::any, best)) too_small = part;
    }
    const int branches = branch(bound, best);
    if (!over()) improve(best.verdict.largest_use * (1 + 1e-9), SearchFor::least_traffic, best);
    best.bound.value = bound;
    best.bound.branches = branches;  // those of the runs were about traffic
    best.seconds = seconds();
    return best;
  }

 private:
  enum class SearchFor { any, least_traffic };

  bool over() const {
    return watch_.interrupted() || (options_.time_limit > 0 && seconds() > options_.time_limit);
  }
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  // Proven: no plan that keeps the capacities loads all of them less.
  double least_part() const {
    const InUnits units = in_units(instance_);
    constexpr double price_of_overload = 1000;
    const auto outcome =
        ChainProgram(units.instance, ChainGoal::balance, price_of_overload, watch_.interrupted).solve();
    double least = std::max(0.0, outcome.bound);
    for (const auto& flow : instance_.flows)  // a function runs on one node
      for (const std::size_t function : flow.chain) {
        double largest = 0;
        for (const std::size_t i : instance_.hosts_of(function))
          largest = std::max(largest, instance_.nodes[i].capacity);
        least = std::max(least, flow.rate / largest);
      }
    return least;
  }

  // Where the bound does not prove the plan: branches over hostings raise the one or lower the other. Returns
  // how many.
  int branch(double& bound, SliceResult& best) const {
    const double known = best.verdict.largest_use;
    // A better plan has no function on a node where it would use more.
    const InUnits units = in_units(with_part_of_capacities(instance_, known));
    const BranchingLimits limits =
        limits_of_branching(units.instance, options_.branches, [this] { return over(); });
    if (limits.branches == 0 || known <= bound * (1 + alike) || over()) return 0;
    const Branching tree = branch_for_balance(units.instance, 1, limits);
    bound = std::max(bound, known * std::min(1.0, tree.bound));
    if (!tree.placement.empty()) take(tree.placement, known * tree.value, best);
    watch_.note(fmt::format("largest use {:.2f}%, lower bound {:.2f}% after {} branches over hostings",
                            100 * best.verdict.largest_use, 100 * bound, tree.branches));
    return tree.branches;
  }

  // Routed with little traffic within that part of the capacities.
  void take(const Placement& placement, double part, SliceResult& best) const {
    const InUnits units = in_units(with_part_of_capacities(instance_, part * (1 + rounding_of_part)));
    const auto plan = Router(units.instance, penalty_of_overload).plan(placement);
    if (!plan) return;
    SlicePlan stated = units.stated(*plan);
    Verdict verdict = judge_plan(instance_, stated);
    if (!verdict.feasible() || !(verdict.largest_use < best.verdict.largest_use)) return;
    best.plan = std::move(stated);
    best.verdict = std::move(verdict);
  }

  bool improve(double part, SearchFor what, SliceResult& best) {
    SliceOptions options = options_;
    options.first_feasible = what == SearchFor::any;
    if (what == SearchFor::any) options.runs = 1;
    if (options_.time_limit > 0) options.time_limit = std::max(0.01, options_.time_limit - seconds());
    SliceResult found = slice(with_part_of_capacities(instance_, part), options, quiet_, demand_);
    if (!found.feasible()) return false;
    found.verdict = judge_plan(instance_, found.plan);  // of the capacities as they are
    const bool better = what == SearchFor::any ? found.verdict.largest_use < best.verdict.largest_use
                                               : found.verdict.cost < best.verdict.cost;
    if (!found.verdict.feasible() || !better) return what == SearchFor::any && better;
    found.objective = SliceObjective::balance;
    watch_.note(
        fmt::format("largest use {:.2f}%, cost {:.6g}", 100 * found.verdict.largest_use, found.verdict.cost));
    best = std::move(found);
    return true;
  }

  const SliceInstance& instance_;
  const SliceOptions& options_;
  const SliceWatch& watch_;
  const UncertainDemand* demand_;
  SliceWatch quiet_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

SliceInstance with_objective(SliceInstance instance, SliceObjective objective) {
  for (auto& link : instance.links) link.cost = objective == SliceObjective::delay ? link.delay : 1;
  return instance;
}

SliceResult slice_for(const SliceInstance& instance, SliceObjective objective, const SliceOptions& options,
                      const SliceWatch& watch, const UncertainDemand* demand) {
  if (objective == SliceObjective::balance) return Balancer(instance, options, watch, demand).execute();
  SliceResult out = slice(instance, options, watch, demand);
  out.objective = objective;
  return out;
}

}  // namespace bridle
