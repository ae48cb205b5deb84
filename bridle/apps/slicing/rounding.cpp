#include "bridle/apps/slicing/rounding.hpp"

#include <algorithm>
#include <numeric>

#include "bridle/apps/slicing/chain_search.hpp"

namespace bridle {
namespace {

constexpr double ignored_part = 3;  // links that a whole part of x is worth
constexpr double overfull = 100;
constexpr double decided = 0.95;

// Room on the nodes while flows are placed.
class Room {
 public:
  explicit Room(const SliceInstance& instance) {
    for (const auto& node : instance.nodes) left_.push_back((1 + 1e-9) * node.capacity);
  }
  bool fits(std::size_t node, double rate) const { return left_[node] >= rate; }
  void take(std::size_t node, double rate) { left_[node] -= rate; }
  double left(std::size_t node) const { return left_[node]; }

 private:
  std::vector<double> left_;
};

class Greedy {
 public:
  Greedy(const Formulation& formulation, const Vector& x)
      : formulation_(formulation), instance_(formulation.instance()), x_(x), room_(instance_) {
    for (const auto& flow : instance_.flows)
      placement_.emplace_back(flow.chain.size(), instance_.nodes.size());
  }

  std::optional<Placement> round() {
    std::vector<std::size_t> order(formulation_.choices().size());
    std::iota(order.begin(), order.end(), 0);
    const auto surest = [&](std::size_t c) {
      const auto& choice = formulation_.choices()[c];
      return x_.segment(choice.first, static_cast<Index>(choice.hosts.size())).maxCoeff();
    };
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return surest(a) > surest(b); });
    for (const std::size_t c : order) {
      const auto& choice = formulation_.choices()[c];
      if (!place(choice) && !eject_for(choice) && !overfill(choice)) return {};
    }
    return placement_;
  }

 private:
  using Choice = Formulation::Choice;
  double rate(const Choice& choice) const { return instance_.flows[choice.flow].rate; }
  double part(const Choice& choice, std::size_t j) const { return x_[choice.first + static_cast<Index>(j)]; }
  bool in_chain(const Choice& choice, std::size_t node) const {
    const Hosting& hosting = placement_[choice.flow];
    return std::find(hosting.begin(), hosting.end(), node) != hosting.end();
  }
  void put(const Choice& choice, std::size_t node) {
    placement_[choice.flow][choice.function] = node;
    room_.take(node, rate(choice));
  }

  // The largest part on a node that may run it; hosts.size() if none may.
  template <class May>
  std::size_t largest(const Choice& choice, May&& may) const {
    std::size_t best = choice.hosts.size();
    for (std::size_t j = 0; j < choice.hosts.size(); ++j)
      if (!in_chain(choice, choice.hosts[j]) && may(choice.hosts[j]) &&
          (best == choice.hosts.size() || part(choice, j) > part(choice, best)))
        best = j;
    return best;
  }

  bool place(const Choice& choice) {
    const std::size_t j = largest(choice, [&](std::size_t node) { return room_.fits(node, rate(choice)); });
    if (j == choice.hosts.size()) return false;
    put(choice, choice.hosts[j]);
    return true;
  }

  // Moves one function away from a host so that there is room; the best sum of parts wins.
  bool eject_for(const Choice& choice) {
    double best_score = -infinity;
    const Choice* moved = nullptr;
    std::size_t here = 0, there = 0;
    for (std::size_t j = 0; j < choice.hosts.size(); ++j) {
      const std::size_t node = choice.hosts[j];
      if (in_chain(choice, node)) continue;
      for (const Choice& other : formulation_.choices()) {
        if (placement_[other.flow][other.function] != node || other.flow == choice.flow ||
            room_.left(node) + rate(other) < rate(choice))
          continue;
        const std::size_t to = largest(other, [&](std::size_t n) { return room_.fits(n, rate(other)); });
        if (to == other.hosts.size()) continue;
        const double score = part(choice, j) + part(other, to);
        if (score <= best_score) continue;
        best_score = score;
        moved = &other;
        here = node;
        there = other.hosts[to];
      }
    }
    if (!moved) return false;
    room_.take(here, -rate(*moved));
    put(*moved, there);
    put(choice, here);
    return true;
  }

  // False if the chain's own functions take all its hosts.
  bool overfill(const Choice& choice) {
    const std::size_t j = largest(choice, [](std::size_t) { return true; });
    if (j == choice.hosts.size()) return false;
    put(choice, choice.hosts[j]);
    return true;
  }

  const Formulation& formulation_;
  const SliceInstance& instance_;
  const Vector& x_;
  Room room_;
  Placement placement_;
};

}  // namespace

std::optional<Placement> round_greedily(const Formulation& formulation, const Vector& x) {
  return Greedy(formulation, x).round();
}

Placement round_chains(const Formulation& formulation, const Vector& x, const Vector& link_prices) {
  const SliceInstance& instance = formulation.instance();
  const ShortestPaths paths = shortest_paths(instance, link_prices + instance.link_costs());
  std::vector<std::size_t> order(instance.flows.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return instance.flows[a].rate > instance.flows[b].rate; });
  Room room(instance);
  Placement out(instance.flows.size());
  for (const std::size_t k : order) {
    const SliceFlow& flow = instance.flows[k];
    ChainSearch search(instance, flow);
    search.set_lengths(paths.length);
    double limit = infinity;
    search.best(
        limit,
        [&](std::size_t s, std::size_t node) {
          const auto& choice = formulation.choice(k, s);
          const auto j = std::find(choice.hosts.begin(), choice.hosts.end(), node) - choice.hosts.begin();
          return flow.rate *
                 (ignored_part * (1 - x[choice.first + j]) + (room.fits(node, flow.rate) ? 0 : overfull));
        },
        out[k]);
    for (const std::size_t node : out[k]) room.take(node, flow.rate);
  }
  return out;
}

std::vector<std::optional<Hosting>> decided_hostings(const Formulation& formulation, const Vector& x) {
  const SliceInstance& instance = formulation.instance();
  Room room(instance);
  std::vector<std::optional<Hosting>> out(instance.flows.size());
  for (std::size_t k = 0; k < instance.flows.size(); ++k) {
    const SliceFlow& flow = instance.flows[k];
    Hosting hosting;
    for (std::size_t s = 0; s < flow.chain.size(); ++s) {
      const auto& choice = formulation.choice(k, s);
      Index j = 0;
      const double most = x.segment(choice.first, static_cast<Index>(choice.hosts.size())).maxCoeff(&j);
      const std::size_t node = choice.hosts[static_cast<std::size_t>(j)];
      if (most < decided || !room.fits(node, flow.rate) ||
          std::find(hosting.begin(), hosting.end(), node) != hosting.end())
        break;
      hosting.push_back(node);
    }
    if (hosting.size() < flow.chain.size()) continue;
    for (const std::size_t node : hosting) room.take(node, flow.rate);
    out[k] = hosting;
  }
  return out;
}

}  // namespace bridle
