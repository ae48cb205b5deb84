#include "bridle/apps/slicing/slice.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>

#include <fmt/format.h>

#include "bridle/apps/slicing/branching.hpp"
#include "bridle/apps/slicing/local_search.hpp"
#include "bridle/apps/slicing/relaxation.hpp"
#include "bridle/apps/slicing/rounding.hpp"
#include "bridle/apps/slicing/units.hpp"
#include "bridle/core/threads.hpp"

namespace bridle {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

constexpr double optimal = 1e-7;  // relative distance to the bound that ends a search

class Slicer {
 public:
  Slicer(const SliceInstance& instance, const SliceOptions& options, const SliceWatch& watch,
         const UncertainDemand* demand)
      : stated_(instance),
        in_units_(in_units(instance)),
        instance_(in_units_.instance),
        options_(options),
        watch_(watch),
        demand_(demand) {
    check_instance(instance);
  }

  SliceResult execute() {
    out_.threads = threads_asked_for(options_.threads);
    out_.bound = bound_cost(stated_, [this] { return stop(0); });
    if (out_.bound.infeasible) {
      out_.status = SliceStatus::infeasible;
      out_.seconds = seconds_since(start_);
      return out_;
    }
    watch_.note(fmt::format("lower bound {:.6g}, {:.2f} s", out_.bound.value, out_.bound.seconds));
    search();
    for (std::size_t r = 1; r < found_.size() && r <= first_good_enough_; ++r)
      if (found_[r].better_than(found_[out_.best_run])) out_.best_run = r;
    branch();
    if (out_.bound.infeasible) {
      out_.status = SliceStatus::infeasible;
      out_.seconds = seconds_since(start_);
      return out_;
    }
    conclude();
    return out_;
  }

 private:
  void search() {
    const auto begun = Clock::now();
    const Formulation formulation(instance_);
    out_.variables = formulation.variables();
    out_.rows = formulation.structure().count() + formulation.capacities().count();
    std::optional<AnyStochasticRows> sampled;
    if (demand_) sampled = SampledCapacities(formulation, *demand_);
    const Relaxation relaxation(formulation, std::move(sampled), [this] { return stop(0); });
    const StagePoint first = relaxation.start(options_.seed);
    out_.start_seconds = seconds_since(begun);
    watch_.note(fmt::format("relaxation: {} variables, {} rows, {} iterations, {:.2f} s", out_.variables,
                            out_.rows, first.iterations, out_.start_seconds));
    out_.runs.resize(std::max<std::size_t>(1, options_.runs));
    found_.resize(out_.runs.size());
    in_parallel(out_.runs.size(), std::min<unsigned>(out_.threads, static_cast<unsigned>(out_.runs.size())),
                [&](std::size_t r) { run(r, formulation, relaxation, first); });
  }

  // A run stops early only for one before it: so the answer does not depend on the threads.
  bool stop(std::size_t r) const {
    return first_good_enough_ < r || watch_.interrupted() ||
           (options_.time_limit > 0 && seconds_since(start_) > options_.time_limit);
  }
  // A single routing is left unfinished only for a user who waits, or long past the limit.
  bool hurry() const {
    return watch_.interrupted() ||
           (options_.time_limit > 0 && seconds_since(start_) > 1.5 * options_.time_limit + 1);
  }
  bool is_good_enough(const Placed& placed) const {
    return placed.feasible() &&
           (options_.first_feasible || in_units_.cost(placed.cost) <= out_.bound.value * (1 + optimal));
  }

  void run(std::size_t r, const Formulation& formulation, const Relaxation& relaxation,
           const StagePoint& first) {
    SliceRun& story = out_.runs[r];
    story.seed = options_.seed + r;
    if (r > 0 && stop(r)) return;
    LocalSearch search(
        instance_, story.seed, [this, r] { return is_good_enough(found_[r]) || stop(r); },
        [this] { return hurry(); }, [this](const Placed& placed) { return is_good_enough(placed); });
    std::vector<Placed> candidates;
    auto begun = Clock::now();
    const auto round = [&](const StagePoint& point) {
      story.relaxation_seconds += seconds_since(begun);
      begun = Clock::now();
      ++story.stages;
      story.iterations += point.iterations;
      collect(formulation, point, search, candidates);
      found_[r] = candidates.front();
      story.rounding_seconds += seconds_since(begun);
      begun = Clock::now();
      return !is_good_enough(candidates.front()) && !stop(r);
    };
    if (first.x.size() == 0) candidates.push_back(search.evaluate(round_chains_without(formulation)));
    if (first.x.size() > 0 && round(first)) relaxation.continue_from(first, story.seed, round);
    story.relaxation_seconds += seconds_since(begun);
    story.candidates = static_cast<int>(candidates.size());
    if (candidates.front().feasible()) story.rounded = in_units_.cost(candidates.front().cost);

    begun = Clock::now();
    const int rebuilds = options_.rebuilds > 0 ? options_.rebuilds : default_rebuilds();
    found_[r] = candidates.front();
    // The best candidate, and one that other runs do not start from.
    for (const std::size_t c : {std::size_t{0}, r + 1}) {
      if (c >= candidates.size() || is_good_enough(found_[r]) || stop(r)) break;
      const Placed improved = search.improve(candidates[c].placement, rebuilds);
      if (improved.better_than(found_[r])) found_[r] = improved;
    }
    if (is_good_enough(found_[r])) {
      std::size_t before = first_good_enough_;
      while (r < before && !first_good_enough_.compare_exchange_weak(before, r)) {
      }
    }
    story.search_seconds = seconds_since(begun);
    story.cost = in_units_.cost(found_[r].cost);
    story.overload = in_units_.unit * found_[r].overload;
    story.programs = search.programs_solved();
    watch_.note(found_[r].feasible()
                    ? fmt::format("run {}: cost {:.6g}, gap {:.2f}%", r + 1, story.cost,
                                  100 * (story.cost / out_.bound.value - 1))
                    : fmt::format("run {}: no feasible placement, overload {:.3g}", r + 1, story.overload));
  }

  // The placements a stage's end rounds to, kept in order of their worth.
  void collect(const Formulation& formulation, const StagePoint& point, LocalSearch& search,
               std::vector<Placed>& candidates) const {
    std::vector<Placement> rounded{round_chains(formulation, point.x, point.link_prices)};
    if (auto greedy = round_greedily(formulation, point.x)) rounded.push_back(std::move(*greedy));
    if (auto completed = search.complete(decided_hostings(formulation, point.x)))
      rounded.push_back(std::move(*completed));
    for (const Placement& placement : rounded) {
      const bool known = std::any_of(candidates.begin(), candidates.end(),
                                     [&](const Placed& one) { return one.placement == placement; });
      if (!known) candidates.push_back(search.evaluate(placement));
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Placed& a, const Placed& b) { return a.better_than(b); });
  }

  Placement round_chains_without(const Formulation& formulation) const {
    return round_chains(formulation, Vector::Zero(formulation.variables()), out_.bound.prices.links);
  }

  int default_rebuilds() const {
    return std::clamp(static_cast<int>(4800 / std::max<std::size_t>(1, instance_.flows.size())), 20, 120);
  }

  // Raises the bound where it does not prove the best run optimal, and may meet a better placement. Where the
  // runs found none, finds one, or proves that there is none.
  void branch() {
    const BranchingLimits limits =
        limits_of_branching(instance_, options_.branches, [this] { return stop(0); });
    Placed& best = found_[out_.best_run];
    if (limits.branches == 0 || options_.first_feasible || is_good_enough(best) || stop(0)) return;
    const auto begun = Clock::now();
    if (!best.feasible() && !find_room(limits, best)) return;
    const Branching tree = branch_for_cost(instance_, best.cost, limits);
    if (!tree.placement.empty()) {
      const Placed met = search_anew().evaluate(tree.placement);
      if (met.better_than(best)) best = met;
    }
    out_.bound.branches += tree.branches;
    out_.bound.value = std::max(out_.bound.value, in_units_.cost(tree.bound));
    out_.bound.seconds += seconds_since(begun);
    watch_.note(fmt::format("lower bound {:.6g} after {} branches over hostings, {:.2f} s", out_.bound.value,
                            out_.bound.branches, seconds_since(begun)));
  }

  bool find_room(const BranchingLimits& limits, Placed& best) {
    const Branching tree = branch_for_room(instance_, limits);
    out_.bound.branches = tree.branches;
    if (!tree.placement.empty()) {
      const Placed met = search_anew().improve(tree.placement, default_rebuilds());
      if (met.better_than(best)) best = met;
    } else if (tree.complete) {
      out_.bound.infeasible = true;
      out_.bound.value = infinity;
      out_.bound.conflict = {fmt::format(
          "all capacities, for chains that run whole ({} branches over hostings)", tree.branches)};
    }
    return best.feasible();
  }

  LocalSearch search_anew() const {
    return {instance_, options_.seed, [this] { return stop(0); }, [this] { return hurry(); }};
  }

  void conclude() {
    // What a run that was stopped had reached depends on the threads: it leaves no trace.
    if (first_good_enough_ < out_.runs.size()) {
      out_.runs.resize(first_good_enough_ + 1);
      found_.resize(first_good_enough_ + 1);
    }
    Router router(instance_, penalty_of_overload);
    if (auto plan = router.plan(found_[out_.best_run].placement))
      out_.plan = in_units_.stated(std::move(*plan));
    out_.verdict = judge_plan(stated_, out_.plan);
    out_.status = out_.verdict.feasible() ? SliceStatus::placed
                  : watch_.interrupted()  ? SliceStatus::interrupted
                                          : SliceStatus::not_placed;
    out_.seconds = seconds_since(start_);
  }

  const SliceInstance& stated_;
  InUnits in_units_;
  const SliceInstance& instance_;  // in units
  const SliceOptions& options_;
  const SliceWatch& watch_;
  const UncertainDemand* demand_;
  Clock::time_point start_ = Clock::now();
  SliceResult out_;
  std::vector<Placed> found_;
  std::atomic<std::size_t> first_good_enough_{static_cast<std::size_t>(-1)};
};

}  // namespace

SliceResult slice(const SliceInstance& instance, const SliceOptions& options, const SliceWatch& watch,
                  const UncertainDemand* demand) {
  return Slicer(instance, options, watch, demand).execute();
}

}  // namespace bridle
