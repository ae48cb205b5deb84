// The whole way from an instance to a plan: bound, relaxation, rounding, search, verdict.
#pragma once

#include <functional>
#include <string_view>

#include "bridle/apps/slicing/chain_bound.hpp"
#include "bridle/apps/slicing/judge.hpp"
#include "bridle/apps/slicing/slice_status.hpp"
#include "bridle/apps/slicing/uncertain.hpp"

namespace bridle {

struct SliceOptions {
  std::uint64_t seed = 1;
  std::size_t runs = 4;         // from seeds of their own; the best is returned
  unsigned threads = 0;         // 0: one per processor that the process may use
  double time_limit = 0;        // seconds; 0: none. Without one the answer depends on the seed alone
  int rebuilds = 0;             // of the search, per run; 0: chosen
  int branches = -1;            // over hostings, for the bound; -1: chosen
  bool first_feasible = false;  // a run ends with the first placement that keeps the capacities
};

// One run's story.
struct SliceRun {
  std::uint64_t seed = 0;
  double rounded = infinity;  // the best feasible cost before the search
  double cost = infinity;     // and after it
  double overload = infinity;
  std::uint64_t iterations = 0;  // of the relaxation
  int stages = 0, candidates = 0, programs = 0;
  double relaxation_seconds = 0, rounding_seconds = 0, search_seconds = 0;
};

enum class SliceObjective { traffic, delay, balance };
constexpr std::string_view to_string(SliceObjective objective) {
  return objective == SliceObjective::delay     ? "delay"
         : objective == SliceObjective::balance ? "balance"
                                                : "traffic";
}

struct SliceResult {
  SliceObjective objective = SliceObjective::traffic;
  SliceStatus status = SliceStatus::not_placed;
  SlicePlan plan;  // the best, feasible or not; empty if infeasible
  Verdict verdict;
  ChainBound bound;
  std::vector<SliceRun> runs;  // up to the first that ended at the bound
  std::size_t best_run = 0;
  Index variables = 0, rows = 0;  // of the relaxation
  double start_seconds = 0;       // the relaxation's first stage, which all runs share
  double seconds = 0;
  unsigned threads = 1;

  bool feasible() const { return status == SliceStatus::placed; }
  // What the objective is about: the largest use of a capacity, or the cost.
  double value() const { return objective == SliceObjective::balance ? verdict.largest_use : verdict.cost; }
  double gap() const { return value() / bound.value - 1; }  // proven: the optimum is no further

  // A plan for this part of every capacity, told of the whole capacities.
  void scale_uses(double part) {
    verdict.largest_use *= part;
    if (objective == SliceObjective::balance) bound.value *= part;
  }
};

struct SliceWatch {
  std::function<void(const std::string&)> note = [](const std::string&) {};
  std::function<bool()> interrupted = [] { return false; };
};

// With a demand the relaxation sees the capacities through draws of it; its mean must be the instance's
// rates.
SliceResult slice(const SliceInstance& instance, const SliceOptions& options, const SliceWatch& watch = {},
                  const UncertainDemand* demand = nullptr);

}  // namespace bridle
