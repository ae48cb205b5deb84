#include "bridle/apps/slicing/chain_program.hpp"

#include <algorithm>
#include <cmath>

namespace bridle {
namespace {

constexpr int most_rounds = 500;

}  // namespace

ChainPricing::ChainPricing(const SliceInstance& instance) : instance_(instance) {
  for (const auto& flow : instance.flows) searches_.emplace_back(instance, flow);
}

void ChainPricing::set(const CapacityPrices& prices, double hop) {
  prices_ = prices;
  paths_ = shortest_paths(instance_, prices.links.array() + hop);
  for (auto& search : searches_) search.set_lengths(paths_.length);
}

double ChainPricing::cost(std::size_t k, const Hosting& hosting) const {
  double sum = searches_[k].cost(hosting);
  for (const std::size_t node : hosting)
    sum += instance_.flows[k].rate * prices_.nodes[static_cast<Index>(node)];
  return sum;
}

double worth(const SliceInstance& instance, const CapacityPrices& prices, ChainGoal goal) {
  double sum = 0;
  for (std::size_t i = 0; i < instance.nodes.size(); ++i)
    sum += prices.nodes[static_cast<Index>(i)] * instance.nodes[i].capacity;
  if (goal != ChainGoal::uniform)
    for (std::size_t l = 0; l < instance.links.size(); ++l)
      sum += prices.links[static_cast<Index>(l)] * instance.links[l].capacity;
  return sum;
}

ChainProgram::ChainProgram(const SliceInstance& instance, ChainGoal goal, double overload_price,
                           StopRequest stop)
    : instance_(instance),
      goal_(goal),
      pricing_(instance),
      flows_(instance.flows.size()),
      nodes_(instance.nodes.size()),
      links_(instance.links.size()),
      tied_(flows_),
      tied_load_(Vector::Zero(static_cast<Index>(nodes_))),
      stop_(std::move(stop)) {
  clp_.setLogLevel(0);
  stop_on_request(clp_, stop_);
  clp_.resize(static_cast<int>(flows_ + nodes_ + links_), 0);
  for (std::size_t k = 0; k < flows_; ++k) clp_.setRowBounds(static_cast<int>(k), 1, 1);
  for (std::size_t i = 0; i < nodes_; ++i)
    clp_.setRowBounds(node_row(i), -COIN_DBL_MAX, instance.nodes[i].capacity);
  for (std::size_t l = 0; l < links_; ++l)
    clp_.setRowBounds(link_row(l), -COIN_DBL_MAX,
                      goal == ChainGoal::uniform ? 0 : instance.links[l].capacity);
  add_overloads(goal == ChainGoal::overload ? 1 : overload_price);
}

void ChainProgram::add_overloads(double price) {
  const auto add = [&](const std::vector<int>& rows, double cost) {
    const std::vector<double> minus(rows.size(), -1.0);
    clp_.addColumn(static_cast<int>(rows.size()), rows.data(), minus.data(), 0, COIN_DBL_MAX, cost);
  };
  for (std::size_t i = 0; i < nodes_; ++i) add({node_row(i)}, price);
  std::vector<int> all;
  for (std::size_t l = 0; l < links_; ++l) {
    if (goal_ != ChainGoal::uniform) add({link_row(l)}, price);
    all.push_back(link_row(l));
  }
  overload_columns_ = first_chain_ = static_cast<std::size_t>(clp_.numberColumns());
  if (goal_ == ChainGoal::uniform) {
    add(all, 1);
    ++first_chain_;
  }
}

ChainProgram::Outcome ChainProgram::solve() {
  Outcome out;
  const CapacityPrices none{Vector::Zero(static_cast<Index>(nodes_)),
                            Vector::Zero(static_cast<Index>(links_))};
  open_chains();
  // Flows without a chain take their shortest way first; if all do, these prices prove a bound too.
  std::vector<bool> provided(flows_, false);
  for (const Chain& chain : chains_) provided[chain.flow] = provided[chain.flow] || open(chain);
  if (std::find(provided.begin(), provided.end(), false) != provided.end()) {
    out.bound = price_out(none, [&](std::size_t k, double) { return !provided[k]; }).first;
    out.prices = none;
  }
  for (out.rounds = 1; out.rounds <= most_rounds; ++out.rounds) {
    clp_.primal(1);
    if (clp_.status() != 0 || (stop_ && stop_())) return out;
    out.value = clp_.objectiveValue();
    const CapacityPrices prices = dual_prices();
    const auto [bound, added] = price_out(prices, [&](std::size_t k, double cost) {
      return cost <= clp_.dualRowSolution()[k] - 1e-9 * (1 + cost);
    });
    if (bound > out.bound) {
      out.bound = bound;
      out.prices = prices;
    }
    if (added == 0 || out.bound >= out.value - 1e-9 * (1 + std::abs(out.value))) {
      out.solved = true;
      return out;
    }
  }
  return out;
}

double ChainProgram::overload() const {
  double sum = 0;
  for (std::size_t j = 0; j < overload_columns_; ++j) sum += clp_.primalColumnSolution()[j];
  return sum;
}

CapacityPrices ChainProgram::dual_prices() const {
  CapacityPrices out{Vector(static_cast<Index>(nodes_)), Vector(static_cast<Index>(links_))};
  const double* dual = clp_.dualRowSolution();
  for (std::size_t i = 0; i < nodes_; ++i)
    out.nodes[static_cast<Index>(i)] = std::max(0.0, -dual[node_row(i)]);
  for (std::size_t l = 0; l < links_; ++l)
    out.links[static_cast<Index>(l)] = std::max(0.0, -dual[link_row(l)]);
  if (goal_ == ChainGoal::uniform)  // what proves a capacity are shares of the links that sum to 1
    if (const double sum = out.links.sum(); sum > 1) out.links /= sum;
  return out;
}

// Adds every flow's cheapest chain at these prices that `pays`. Returns the bound that the prices prove and
// how many were added.
std::pair<double, int> ChainProgram::price_out(const CapacityPrices& prices,
                                               const std::function<bool(std::size_t, double)>& pays) {
  pricing_.set(prices, goal_ == ChainGoal::cost ? 1 : 0);
  double bound = -worth(instance_, prices, goal_);
  int added = 0;
  Hosting hosting;
  for (std::size_t k = 0; k < flows_; ++k) {
    double cost = infinity;
    if (tied_[k]) {
      hosting = *tied_[k];
      cost = pricing_.cost(k, hosting);
    } else {
      cost = pricing_.cheapest(k, hosting, [&](std::size_t node) { return has_room(k, node); });
    }
    bound += cost;
    if (cost == infinity || !pays(k, cost)) continue;
    add_chain(k, hosting);
    ++added;
  }
  return {bound, added};
}

void ChainProgram::add_chain(std::size_t k, const Hosting& hosting) {
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
  clp_.addColumn(static_cast<int>(rows.size()), rows.data(), values.data(), 0, COIN_DBL_MAX,
                 goal_ == ChainGoal::cost ? length : 0);
  chains_.push_back({k, hosting});
}

bool ChainProgram::has_room(std::size_t k, std::size_t node) const {
  return tied_load_[static_cast<Index>(node)] + instance_.flows[k].rate <=
         (1 + 1e-9) * instance_.nodes[node].capacity;
}

bool ChainProgram::open(const Chain& chain) const {
  if (tied_[chain.flow]) return *tied_[chain.flow] == chain.hosting;
  return std::all_of(chain.hosting.begin(), chain.hosting.end(),
                     [&](std::size_t node) { return has_room(chain.flow, node); });
}

void ChainProgram::open_chains() {
  for (std::size_t c = 0; c < chains_.size(); ++c)
    clp_.setColumnUpper(static_cast<int>(first_chain_ + c), open(chains_[c]) ? COIN_DBL_MAX : 0);
}

void ChainProgram::tie(std::size_t k, const Hosting& hosting) {
  tied_[k] = hosting;
  for (const std::size_t node : hosting) tied_load_[static_cast<Index>(node)] += instance_.flows[k].rate;
}

void ChainProgram::release_all() {
  std::fill(tied_.begin(), tied_.end(), std::nullopt);
  tied_load_.setZero();
}

std::vector<ChainProgram::Part> ChainProgram::parts(std::size_t k) const {
  std::vector<Part> out;
  const double* solution = clp_.primalColumnSolution();
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    const double part = solution[first_chain_ + c];
    if (chains_[c].flow != k || part < 1e-9) continue;
    const auto same = std::find_if(out.begin(), out.end(),
                                   [&](const Part& one) { return one.hosting == chains_[c].hosting; });
    if (same == out.end())
      out.push_back({chains_[c].hosting, part});
    else
      same->part += part;
  }
  return out;
}

}  // namespace bridle
