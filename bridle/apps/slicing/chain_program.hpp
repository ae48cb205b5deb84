// The linear program over whole chains: a column is one flow's hosting with a way along it, and columns are
// made when their price is right. Flows can be tied to a hosting; their ways stay open.
#pragma once

#include <functional>
#include <optional>

#include "bridle/apps/slicing/chain_pricing.hpp"
#include "bridle/apps/slicing/clp_stop.hpp"

namespace bridle {

enum class ChainGoal {
  cost,      // rate times links; overload at a price
  overload,  // what the capacities lack
  uniform,   // the capacity that all links share
  factor,    // by which the capacities of all links are multiplied
  balance,   // by which the capacities of all nodes and links are multiplied
  shed       // the rate of flows, or parts of them, that are left out
};

// What a unit of the goal adds to every capacity; 0: the capacity is what the instance says.
CapacityPrices shares(const SliceInstance& instance, ChainGoal goal);

// What the capacities that are stated are worth at these prices.
double worth(const SliceInstance& instance, const CapacityPrices& prices, ChainGoal goal);

class ChainProgram {
 public:
  ChainProgram(const SliceInstance& instance, ChainGoal goal, double overload_price, StopRequest stop = {});

  struct Outcome {
    double bound = -infinity;  // no solution has less; holds while no flow is tied
    CapacityPrices prices;     // that prove it
    double value = infinity;   // of the program with the columns there are
    int rounds = 0;
    long iterations = 0;  // of the simplex method
    bool solved = false;  // Clp had no trouble and was not stopped
  };
  // Rounds of pricing until no chain pays any more.
  Outcome solve();
  double overload() const;           // of the last solution
  double link_overload() const;      // the links' part of it, where all capacities are stated
  double shed(std::size_t k) const;  // the part of a flow that it leaves out

  // From now on the flow takes this hosting, and the others only nodes that have room left beside all tied
  // flows.
  void tie(std::size_t k, const Hosting& hosting);
  void release_all();
  // From now on links are loaded up to their capacity and not beyond, rounding included.
  void keep_links_exactly();
  bool tied(std::size_t k) const { return tied_[k].has_value(); }

  // From now on function s of the flow does not run on the node; bounds hold for what is left.
  void forbid(std::size_t k, std::size_t s, std::size_t node) { forbidden_[k][s * nodes_ + node] = true; }
  void allow_all();

  // Of the last solution: hostings of a flow with their parts, ways added up.
  struct Part {
    Hosting hosting;
    double part;
  };
  std::vector<Part> parts(std::size_t k) const;
  // The same way by way; `rate` is the part of the flow's.
  std::vector<Way> ways(std::size_t k) const;

 private:
  struct Chain {
    std::size_t flow;
    Hosting hosting;
    std::vector<std::vector<std::size_t>> legs;
  };
  int node_row(std::size_t i) const { return static_cast<int>(flows_ + i); }
  int link_row(std::size_t l) const { return static_cast<int>(flows_ + nodes_ + l); }
  void add_overloads(double price);
  void add_shared();
  void add_sheds();
  void add_chain(std::size_t k, const Hosting& hosting);
  CapacityPrices dual_prices() const;
  std::pair<double, int> price_out(const CapacityPrices& prices,
                                   const std::function<bool(std::size_t, double)>& pays);
  void open_chains();
  bool may_run(std::size_t k, std::size_t s, std::size_t node) const;
  bool open(const Chain& chain) const;

  const SliceInstance& instance_;
  ChainGoal goal_;
  CapacityPrices shares_;
  ChainPricing pricing_;
  std::size_t flows_, nodes_, links_;
  std::size_t overload_columns_ = 0, first_chain_ = 0;
  std::vector<Chain> chains_;  // in the order of their columns
  std::vector<std::optional<Hosting>> tied_;
  std::vector<std::vector<bool>> forbidden_;  // per flow: functions times nodes
  Vector tied_load_;                          // of the nodes
  StopRequest stop_;
  ClpSimplex clp_;
};

}  // namespace bridle
