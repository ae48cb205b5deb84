#include "bridle/apps/slicing/chain_bound.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include <ClpSimplex.hpp>
#include <fmt/format.h>

#include "bridle/apps/slicing/chain_search.hpp"

namespace bridle {
namespace {

enum class Goal {
  cost,      // rate times links; overload at a high price
  overload,  // what the capacities lack
  uniform    // the capacity all links share
};
constexpr double overload_price = 1000;
constexpr int most_rounds = 500;

// Per flow, the cheapest chain at given prices.
class Pricing {
 public:
  explicit Pricing(const SliceInstance& instance) : instance_(instance) {
    for (const auto& flow : instance.flows) searches_.emplace_back(instance, flow);
  }

  void set(const CapacityPrices& prices, double hop) {
    prices_ = prices;
    paths_ = shortest_paths(instance_, prices.links.array() + hop);
    for (auto& search : searches_) search.set_lengths(paths_.length);
  }
  // Infinite if no hosting fits at all.
  double cheapest(std::size_t k, Hosting& hosting) const {
    const double rate = instance_.flows[k].rate;
    double limit = infinity;
    searches_[k].best(
        limit, [&](std::size_t, std::size_t node) { return rate * prices_.nodes[static_cast<Index>(node)]; },
        hosting);
    return limit;
  }
  const ShortestPaths& paths() const { return paths_; }

 private:
  const SliceInstance& instance_;
  std::vector<ChainSearch> searches_;
  CapacityPrices prices_;
  ShortestPaths paths_;
};

double worth(const SliceInstance& instance, const CapacityPrices& prices, Goal goal) {
  double sum = 0;
  for (std::size_t i = 0; i < instance.nodes.size(); ++i)
    sum += prices.nodes[static_cast<Index>(i)] * instance.nodes[i].capacity;
  if (goal != Goal::uniform)
    for (std::size_t l = 0; l < instance.links.size(); ++l)
      sum += prices.links[static_cast<Index>(l)] * instance.links[l].capacity;
  return sum;
}

class ChainProgram {
 public:
  ChainProgram(const SliceInstance& instance, Goal goal)
      : instance_(instance),
        goal_(goal),
        pricing_(instance),
        flows_(instance.flows.size()),
        nodes_(instance.nodes.size()),
        links_(instance.links.size()) {
    clp_.setLogLevel(0);
    clp_.resize(static_cast<int>(flows_ + nodes_ + links_), 0);
    for (std::size_t k = 0; k < flows_; ++k) clp_.setRowBounds(static_cast<int>(k), 1, 1);
    for (std::size_t i = 0; i < nodes_; ++i)
      clp_.setRowBounds(node_row(i), -COIN_DBL_MAX, instance.nodes[i].capacity);
    for (std::size_t l = 0; l < links_; ++l)
      clp_.setRowBounds(link_row(l), -COIN_DBL_MAX, goal == Goal::uniform ? 0 : instance.links[l].capacity);
    add_overloads();
  }

  ChainBound solve() {
    ChainBound out;
    out.value = -infinity;
    CapacityPrices prices{Vector::Zero(static_cast<Index>(nodes_)), Vector::Zero(static_cast<Index>(links_))};
    double master = infinity;
    for (out.rounds = 1; out.rounds <= most_rounds; ++out.rounds) {
      // Without any price a flow takes its shortest way; a price on flows comes with the first program.
      const auto [bound, added] = price_out(prices, master == infinity);
      if (bound > out.value) {
        out.value = bound;
        out.prices = prices;
      }
      if (added == 0 || out.value >= master - 1e-9 * (1 + std::abs(master))) break;
      clp_.primal(1);
      if (clp_.status() != 0) break;  // the bound so far holds all the same
      master = clp_.objectiveValue();
      prices = dual_prices();
    }
    return out;
  }

  double overload() const {
    double sum = 0;
    for (std::size_t j = 0; j < overload_columns_; ++j) sum += clp_.primalColumnSolution()[j];
    return sum;
  }

 private:
  int node_row(std::size_t i) const { return static_cast<int>(flows_ + i); }
  int link_row(std::size_t l) const { return static_cast<int>(flows_ + nodes_ + l); }

  void add_overloads() {
    const double price = goal_ == Goal::overload ? 1 : overload_price;
    const auto add = [&](const std::vector<int>& rows, double cost) {
      const std::vector<double> minus(rows.size(), -1.0);
      clp_.addColumn(static_cast<int>(rows.size()), rows.data(), minus.data(), 0, COIN_DBL_MAX, cost);
    };
    for (std::size_t i = 0; i < nodes_; ++i) add({node_row(i)}, price);
    std::vector<int> all;
    for (std::size_t l = 0; l < links_; ++l) {
      if (goal_ != Goal::uniform) add({link_row(l)}, price);
      all.push_back(link_row(l));
    }
    overload_columns_ = static_cast<std::size_t>(clp_.numberColumns());
    if (goal_ == Goal::uniform) add(all, 1);
  }

  CapacityPrices dual_prices() const {
    CapacityPrices out{Vector(static_cast<Index>(nodes_)), Vector(static_cast<Index>(links_))};
    const double* dual = clp_.dualRowSolution();
    for (std::size_t i = 0; i < nodes_; ++i)
      out.nodes[static_cast<Index>(i)] = std::max(0.0, -dual[node_row(i)]);
    for (std::size_t l = 0; l < links_; ++l)
      out.links[static_cast<Index>(l)] = std::max(0.0, -dual[link_row(l)]);
    if (goal_ == Goal::uniform)  // what proves a capacity are shares of the links that sum to 1
      if (const double sum = out.links.sum(); sum > 1) out.links /= sum;
    return out;
  }

  // Adds the chains that pay at these prices. Returns the bound that the prices prove and how many were
  // added.
  std::pair<double, int> price_out(const CapacityPrices& prices, bool first) {
    const double hop = goal_ == Goal::cost ? 1 : 0;
    pricing_.set(prices, hop);
    double bound = -worth(instance_, prices, goal_);
    int added = 0;
    Hosting hosting;
    for (std::size_t k = 0; k < flows_; ++k) {
      const double cost = pricing_.cheapest(k, hosting);
      bound += cost;
      if (cost == infinity) continue;
      if (!first && cost > clp_.dualRowSolution()[k] - 1e-9 * (1 + cost)) continue;
      add_chain(k, hosting, hop);
      ++added;
    }
    return {bound, added};
  }

  void add_chain(std::size_t k, const Hosting& hosting, double hop) {
    const SliceFlow& flow = instance_.flows[k];
    std::vector<double> load(links_, 0);
    double length = 0;
    for (std::size_t s = 0; s <= hosting.size(); ++s)
      for (const std::size_t l :
           pricing_.paths().links(instance_, leg_start(flow, hosting, s), leg_end(flow, hosting, s))) {
        load[l] += flow.rate;
        length += flow.rate;
      }
    std::vector<int> rows{static_cast<int>(k)};
    std::vector<double> values{1};
    for (const std::size_t node : hosting) rows.push_back(node_row(node)), values.push_back(flow.rate);
    for (std::size_t l = 0; l < links_; ++l)
      if (load[l] > 0) rows.push_back(link_row(l)), values.push_back(load[l]);
    clp_.addColumn(static_cast<int>(rows.size()), rows.data(), values.data(), 0, COIN_DBL_MAX, hop * length);
  }

  const SliceInstance& instance_;
  Goal goal_;
  Pricing pricing_;
  std::size_t flows_, nodes_, links_, overload_columns_ = 0;
  ClpSimplex clp_;
};

Names conflict_of(const SliceInstance& instance, const CapacityPrices& prices) {
  std::vector<std::pair<double, std::string>> rows;
  const double most = std::max(prices.nodes.maxCoeff(), prices.links.maxCoeff());
  for (std::size_t i = 0; i < instance.nodes.size(); ++i)
    if (const double price = prices.nodes[static_cast<Index>(i)]; price > 1e-6 * most)
      rows.emplace_back(price, fmt::format("node {} (capacity {:.6g})", instance.nodes[i].name,
                                           instance.nodes[i].capacity));
  for (std::size_t l = 0; l < instance.links.size(); ++l)
    if (const double price = prices.links[static_cast<Index>(l)]; price > 1e-6 * most)
      rows.emplace_back(
          price, fmt::format("link {} (capacity {:.6g})", instance.link_name(l), instance.links[l].capacity));
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  Names out;
  for (auto& [price, name] : rows) out.push_back(std::move(name));
  return out;
}

// The flow that no hosting is large enough for: the capacities of all that offer the function in its way.
std::optional<Names> flow_without_host(const SliceInstance& instance) {
  for (const auto& flow : instance.flows) {
    ChainSearch search(instance, flow);
    const ShortestPaths paths =
        shortest_paths(instance, Vector::Ones(static_cast<Index>(instance.links.size())));
    search.set_lengths(paths.length);
    Hosting hosting;
    double limit = infinity;
    if (search.best(
            limit, [](std::size_t, std::size_t) { return 0.0; }, hosting))
      continue;
    Names out;
    for (std::size_t i = 0; i < instance.nodes.size(); ++i) {
      const SliceNode& node = instance.nodes[i];
      const bool offers = std::any_of(flow.chain.begin(), flow.chain.end(), [&](std::size_t f) {
        return std::find(node.functions.begin(), node.functions.end(), f) != node.functions.end();
      });
      if (offers && node.capacity < flow.rate)
        out.push_back(fmt::format("node {} (capacity {:.6g} < rate {:.6g} of flow {})", node.name,
                                  node.capacity, flow.rate, flow.name));
    }
    return out;
  }
  return {};
}

}  // namespace

double proven_bound(const SliceInstance& instance, const CapacityPrices& prices, double hop) {
  Pricing pricing(instance);
  pricing.set(prices, hop);
  double sum = -worth(instance, prices, Goal::cost);
  Hosting hosting;
  for (std::size_t k = 0; k < instance.flows.size(); ++k) sum += pricing.cheapest(k, hosting);
  return sum;
}

ChainBound bound_cost(const SliceInstance& instance) {
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  ChainBound out;
  if (auto conflict = flow_without_host(instance)) {
    out.value = infinity;
    out.infeasible = true;
    out.conflict = std::move(*conflict);
    out.seconds = seconds();
    return out;
  }
  ChainProgram program(instance, Goal::cost);
  out = program.solve();
  if (program.overload() > 1e-9 * instance.total_rate()) {
    ChainBound lack = ChainProgram(instance, Goal::overload).solve();
    // Rounding of the sum must not make a proof.
    if (lack.value > 1e-9 * (instance.total_rate() + worth(instance, lack.prices, Goal::overload))) {
      lack.infeasible = true;
      lack.value = infinity;
      lack.conflict = conflict_of(instance, lack.prices);
      lack.rounds += out.rounds;
      out = std::move(lack);
    }
  }
  out.seconds = seconds();
  return out;
}

double smallest_uniform_capacity(const SliceInstance& instance) {
  return std::max(0.0, ChainProgram(instance, Goal::uniform).solve().value);
}

}  // namespace bridle
