#include "bridle/apps/slicing/chain_program.hpp"

#include <algorithm>
#include <cmath>

namespace bridle {
namespace {

constexpr int most_rounds = 500;

}  // namespace

CapacityPrices shares(const SliceInstance& instance, ChainGoal goal) {
  CapacityPrices out{Vector::Zero(static_cast<Index>(instance.nodes.size())),
                     Vector::Zero(static_cast<Index>(instance.links.size()))};
  const bool links = goal == ChainGoal::factor || goal == ChainGoal::balance;
  for (Index l = 0; l < out.links.size(); ++l)
    out.links[l] = links                        ? instance.links[static_cast<std::size_t>(l)].capacity
                   : goal == ChainGoal::uniform ? 1
                                                : 0;
  if (goal == ChainGoal::balance)
    for (Index i = 0; i < out.nodes.size(); ++i)
      out.nodes[i] = instance.nodes[static_cast<std::size_t>(i)].capacity;
  return out;
}

double worth(const SliceInstance& instance, const CapacityPrices& prices, ChainGoal goal) {
  const CapacityPrices shared = shares(instance, goal);
  double sum = 0;
  for (std::size_t i = 0; i < instance.nodes.size(); ++i)
    if (const auto at = static_cast<Index>(i); shared.nodes[at] == 0)
      sum += prices.nodes[at] * instance.nodes[i].capacity;
  for (std::size_t l = 0; l < instance.links.size(); ++l)
    if (const auto at = static_cast<Index>(l); shared.links[at] == 0)
      sum += prices.links[at] * instance.links[l].capacity;
  return sum;
}

ChainProgram::ChainProgram(const SliceInstance& instance, ChainGoal goal, double overload_price,
                           StopRequest stop)
    : instance_(instance),
      goal_(goal),
      shares_(shares(instance, goal)),
      pricing_(instance),
      flows_(instance.flows.size()),
      nodes_(instance.nodes.size()),
      links_(instance.links.size()),
      tied_(flows_),
      tied_load_(Vector::Zero(static_cast<Index>(nodes_))),
      stop_(std::move(stop)) {
  for (const auto& flow : instance.flows) forbidden_.emplace_back(flow.chain.size() * nodes_, false);
  clp_.setLogLevel(0);
  stop_on_request(clp_, stop_);
  clp_.resize(static_cast<int>(flows_ + nodes_ + links_), 0);
  for (std::size_t k = 0; k < flows_; ++k) clp_.setRowBounds(static_cast<int>(k), 1, 1);
  for (std::size_t i = 0; i < nodes_; ++i)
    clp_.setRowBounds(node_row(i), -COIN_DBL_MAX,
                      shares_.nodes[static_cast<Index>(i)] > 0 ? 0 : instance.nodes[i].capacity);
  for (std::size_t l = 0; l < links_; ++l)
    clp_.setRowBounds(link_row(l), -COIN_DBL_MAX,
                      shares_.links[static_cast<Index>(l)] > 0 ? 0 : instance.links[l].capacity);
  if (goal == ChainGoal::shed)
    add_sheds();
  else
    add_overloads(goal == ChainGoal::overload ? 1 : overload_price);
  add_shared();
  first_chain_ = static_cast<std::size_t>(clp_.numberColumns());
}

void ChainProgram::add_overloads(double price) {
  const auto add = [&](int row, double share) {
    const double minus = -1;
    if (share == 0) clp_.addColumn(1, &row, &minus, 0, COIN_DBL_MAX, price);
  };
  for (std::size_t i = 0; i < nodes_; ++i) add(node_row(i), shares_.nodes[static_cast<Index>(i)]);
  for (std::size_t l = 0; l < links_; ++l) add(link_row(l), shares_.links[static_cast<Index>(l)]);
  overload_columns_ = static_cast<std::size_t>(clp_.numberColumns());
}

void ChainProgram::add_shared() {
  std::vector<int> rows;
  std::vector<double> values;
  const auto add = [&](int row, double share) {
    if (share > 0) rows.push_back(row), values.push_back(-share);
  };
  for (std::size_t i = 0; i < nodes_; ++i) add(node_row(i), shares_.nodes[static_cast<Index>(i)]);
  for (std::size_t l = 0; l < links_; ++l) add(link_row(l), shares_.links[static_cast<Index>(l)]);
  if (!rows.empty())
    clp_.addColumn(static_cast<int>(rows.size()), rows.data(), values.data(), 0, COIN_DBL_MAX, 1);
}

// The first columns, one per flow.
void ChainProgram::add_sheds() {
  const double one = 1;
  for (std::size_t k = 0; k < flows_; ++k) {
    const int row = static_cast<int>(k);
    clp_.addColumn(1, &row, &one, 0, COIN_DBL_MAX, instance_.flows[k].rate);
  }
}

double ChainProgram::shed(std::size_t k) const {
  return goal_ == ChainGoal::shed ? clp_.primalColumnSolution()[k] : 0;
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
    out.iterations += clp_.numberIterations();
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

double ChainProgram::link_overload() const {
  double sum = 0;  // the nodes' columns come first, then those of links that bear what the instance says
  for (std::size_t j = nodes_; j < overload_columns_; ++j) sum += clp_.primalColumnSolution()[j];
  return sum;
}

CapacityPrices ChainProgram::dual_prices() const {
  CapacityPrices out{Vector(static_cast<Index>(nodes_)), Vector(static_cast<Index>(links_))};
  const double* dual = clp_.dualRowSolution();
  for (std::size_t i = 0; i < nodes_; ++i)
    out.nodes[static_cast<Index>(i)] = std::max(0.0, -dual[node_row(i)]);
  for (std::size_t l = 0; l < links_; ++l)
    out.links[static_cast<Index>(l)] = std::max(0.0, -dual[link_row(l)]);
  // What proves a bound on a goal that capacities share are prices at which a unit of it is worth 1 at most.
  if (const double sum = shares_.nodes.dot(out.nodes) + shares_.links.dot(out.links); sum > 1) {
    out.nodes = (shares_.nodes.array() > 0).select(out.nodes / sum, out.nodes);
    out.links = (shares_.links.array() > 0).select(out.links / sum, out.links);
  }
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
      cost =
          pricing_.cheapest(k, hosting, [&](std::size_t s, std::size_t node) { return may_run(k, s, node); });
    }
    bound += goal_ == ChainGoal::shed ? std::min(cost, instance_.flows[k].rate) : cost;
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
  auto legs = pricing_.way(k, hosting);
  for (const auto& leg : legs)
    for (const std::size_t l : leg) {
      load[l] += flow.rate;
      length += flow.rate * instance_.links[l].cost;
    }
  std::vector<int> rows{static_cast<int>(k)};
  std::vector<double> values{1};
  for (const std::size_t node : hosting) rows.push_back(node_row(node)), values.push_back(flow.rate);
  for (std::size_t l = 0; l < links_; ++l)
    if (load[l] > 0) rows.push_back(link_row(l)), values.push_back(load[l]);
  clp_.addColumn(static_cast<int>(rows.size()), rows.data(), values.data(), 0, COIN_DBL_MAX,
                 goal_ == ChainGoal::cost ? length : 0);
  chains_.push_back({k, hosting, std::move(legs)});
}

bool ChainProgram::may_run(std::size_t k, std::size_t s, std::size_t node) const {
  return !forbidden_[k][s * nodes_ + node] &&
         tied_load_[static_cast<Index>(node)] + instance_.flows[k].rate <=
             (1 + 1e-9) * instance_.nodes[node].capacity;
}

bool ChainProgram::open(const Chain& chain) const {
  if (tied_[chain.flow]) return *tied_[chain.flow] == chain.hosting;
  for (std::size_t s = 0; s < chain.hosting.size(); ++s)
    if (!may_run(chain.flow, s, chain.hosting[s])) return false;
  return true;
}

void ChainProgram::open_chains() {
  for (std::size_t c = 0; c < chains_.size(); ++c)
    clp_.setColumnUpper(static_cast<int>(first_chain_ + c), open(chains_[c]) ? COIN_DBL_MAX : 0);
}

void ChainProgram::tie(std::size_t k, const Hosting& hosting) {
  tied_[k] = hosting;
  for (const std::size_t node : hosting) tied_load_[static_cast<Index>(node)] += instance_.flows[k].rate;
}

void ChainProgram::allow_all() {
  for (auto& functions : forbidden_) std::fill(functions.begin(), functions.end(), false);
}

void ChainProgram::release_all() {
  std::fill(tied_.begin(), tied_.end(), std::nullopt);
  tied_load_.setZero();
}

void ChainProgram::keep_links_exactly() {
  constexpr double hair = 1e-9;  // Clp keeps capacities up to that
  clp_.setPrimalTolerance(hair);
  for (std::size_t l = 0; l < links_; ++l)
    clp_.setRowBounds(link_row(l), -COIN_DBL_MAX, (1 - hair) * instance_.links[l].capacity);
}

std::vector<Way> ChainProgram::ways(std::size_t k) const {
  std::vector<Way> out;
  const double* solution = clp_.primalColumnSolution();
  for (std::size_t c = 0; c < chains_.size(); ++c)
    if (const double part = solution[first_chain_ + c]; chains_[c].flow == k && part > 0 && open(chains_[c]))
      out.push_back({chains_[c].legs, part});
  return out;
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
