#include "bridle/apps/slicing/branching.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <utility>

#include "bridle/apps/slicing/chain_program.hpp"

namespace bridle {
namespace {

constexpr double price_beyond_capacity = 1000;
constexpr double whole = 1 - 1e-6;

struct Forbidden {
  std::size_t flow, function, node;
};

struct Branch {
  double bound;
  std::size_t number;  // of its making
  std::vector<Forbidden> forbidden;
  bool operator>(const Branch& other) const {
    return bound != other.bound ? bound > other.bound : number < other.number;
  }
};

class Tree {
 public:
  Tree(const SliceInstance& instance, ChainGoal goal, double known, const BranchingLimits& limits,
       double optimal_enough = 1e-7)
      : instance_(instance),
        goal_(goal),
        optimal_enough_(optimal_enough),
        nothing_(1e-9 * instance.total_rate()),
        known_(known),
        limits_(limits),
        program_(instance, goal, price_beyond_capacity, limits.stop) {}

  Branching grow() {
    open_.push({-infinity, made_++, {}});
    while (!open_.empty() && !closed(open_.top().bound) && !over()) {
      const Branch branch = open_.top();
      open_.pop();
      if (!visit(branch)) stuck_ = std::min(stuck_, branch.bound);
    }
    out_.complete = stuck_ == infinity && (open_.empty() || closed(open_.top().bound));
    out_.bound = std::min({known_, stuck_, open_.empty() ? infinity : open_.top().bound});
    return std::move(out_);
  }

 private:
  bool closed(double bound) const {
    return goal_ == ChainGoal::overload ? bound > 100 * nothing_ : bound >= known_ * (1 - optimal_enough_);
  }
  bool over() const {
    return out_.branches >= limits_.branches || out_.iterations >= limits_.iterations ||
           (goal_ == ChainGoal::overload && !out_.placement.empty()) || (limits_.stop && limits_.stop());
  }

  // False if nothing is known of the branch beyond what was.
  bool visit(const Branch& branch) {
    ++out_.branches;
    program_.allow_all();
    for (const auto& [k, s, node] : branch.forbidden) program_.forbid(k, s, node);
    const auto outcome = program_.solve();
    out_.iterations += outcome.iterations;
    const double bound = std::max(branch.bound, outcome.bound);
    if (closed(bound)) return true;
    if (!outcome.solved) return false;
    Placement placement(instance_.flows.size());
    const auto [share, at] = most_divided(placement);
    if (share > 0) {
      divide(branch, bound, at);
      return true;
    }
    if (program_.overload() > nothing_) return false;  // whole chains that do not fit
    if (goal_ == ChainGoal::overload || outcome.value < known_) out_.placement = std::move(placement);
    if (goal_ != ChainGoal::overload) known_ = out_.value = std::min(known_, outcome.value);
    return true;
  }

  // The function whose host is least decided, and how much is at stake: its rate times the part of its
  // traffic that is not on its largest host. Where all are decided, the placement.
  std::pair<double, Forbidden> most_divided(Placement& placement) const {
    double most = 0;
    Forbidden at{};
    for (std::size_t k = 0; k < instance_.flows.size(); ++k) {
      const auto parts = program_.parts(k);
      for (std::size_t s = 0; s < instance_.flows[k].chain.size(); ++s) {
        Vector on = Vector::Zero(static_cast<Index>(instance_.nodes.size()));
        for (const auto& one : parts) on[static_cast<Index>(one.hosting[s])] += one.part;
        Index largest = 0;
        const double part = on.maxCoeff(&largest) / on.sum();
        if (part >= whole) continue;
        const double stake = instance_.flows[k].rate * (1 - part);
        if (stake > most) {
          most = stake;
          at = {k, s, static_cast<std::size_t>(largest)};
        }
      }
      const auto surest = std::max_element(parts.begin(), parts.end(),
                                           [](const auto& a, const auto& b) { return a.part < b.part; });
      if (surest != parts.end()) placement[k] = surest->hosting;
    }
    return {most, at};
  }

  // The function on that node, and not on it.
  void divide(const Branch& branch, double bound, const Forbidden& at) {
    Branch elsewhere{bound, made_++, branch.forbidden}, here{bound, made_++, branch.forbidden};
    elsewhere.forbidden.push_back(at);
    for (const std::size_t node : instance_.hosts_of(instance_.flows[at.flow].chain[at.function]))
      if (node != at.node) here.forbidden.push_back({at.flow, at.function, node});
    open_.push(std::move(here));
    open_.push(std::move(elsewhere));
  }

  const SliceInstance& instance_;
  ChainGoal goal_;
  double optimal_enough_;  // relative, between a bound and what is known
  double nothing_;         // less than this is no overload
  double known_, stuck_ = infinity;
  const BranchingLimits& limits_;
  ChainProgram program_;
  std::size_t made_ = 0;
  std::priority_queue<Branch, std::vector<Branch>, std::greater<>> open_;
  Branching out_;
};

}  // namespace

BranchingLimits limits_of_branching(const SliceInstance& instance, int said, StopRequest stop) {
  constexpr int branches_at_most = 5000;
  constexpr double work = 2.5e6;  // iterations times rows
  const auto rows =
      static_cast<double>(instance.flows.size() + instance.nodes.size() + instance.links.size());
  if (said >= 0) return {said, std::numeric_limits<long>::max(), std::move(stop)};
  return {branches_at_most, static_cast<long>(work / rows), std::move(stop)};
}

Branching branch_for_cost(const SliceInstance& instance, double known, const BranchingLimits& limits) {
  return Tree(instance, ChainGoal::cost, known, limits).grow();
}

Branching branch_for_balance(const SliceInstance& instance, double known, const BranchingLimits& limits) {
  constexpr double alike = 1e-4;  // nobody asks for more digits of a use
  return Tree(instance, ChainGoal::balance, known, limits, alike).grow();
}

Branching branch_for_room(const SliceInstance& instance, const BranchingLimits& limits) {
  return Tree(instance, ChainGoal::overload, infinity, limits).grow();
}

}  // namespace bridle
