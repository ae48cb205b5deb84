// What a planner states: a network, which nodes can run which functions, and flows that must pass a chain of
// functions in order on their way.
#pragma once

#include <cstddef>
#include <vector>

#include "bridle/core/types.hpp"

namespace bridle {

struct SliceNode {
  std::string name;
  double capacity = 0;                 // total rate of the functions it can run
  std::vector<std::size_t> functions;  // those it offers; none: it only forwards
  double x = 0, y = 0;                 // where a drawing puts it
};

struct SliceLink {  // one direction
  std::size_t from = 0, to = 0;
  double capacity = 0;
  double delay = 1;  // of traffic that takes it
  double cost = 1;   // of a unit of traffic on it: 1, or the delay (objective.hpp)
  bool operator==(const SliceLink&) const = default;
};

struct SliceFlow {
  std::string name;
  std::size_t source = 0, target = 0;
  double rate = 0;
  std::vector<std::size_t> chain;  // functions, in the order the traffic needs them
  double max_delay = infinity;     // of every way from source to target
  bool in_a_hurry() const { return max_delay < infinity; }
};

struct SliceInstance {
  std::string name;
  Names functions;
  std::vector<SliceNode> nodes;
  std::vector<SliceLink> links;
  std::vector<SliceFlow> flows;

  std::vector<std::size_t> hosts_of(std::size_t function) const;
  // Per function of the flow's chain: the hosts that lie on some way from its source to its target along the
  // hosts of the others. A node without a way to it is none.
  std::vector<std::vector<std::size_t>> hosts_along(const SliceFlow& flow) const;
  std::string link_name(std::size_t link) const;  // "Gdansk -> Warsaw"
  double total_rate() const;
  bool has_delay_bounds() const;
  Vector link_costs() const;
  Vector link_delays() const;
  double work() const;  // rate times chain length, summed: what the hosts must run
};

// Throws InputError unless the flow's end points, rate and chain make sense on this network: every function
// has a host, the functions of a chain fit on different nodes, and there is a way along some hosting.
void check_flow(const SliceInstance& instance, const SliceFlow& flow);
// Rates and capacities beyond this are slips, and their sums and products would leave the numbers there are.
inline constexpr double largest_amount = 1e30;
// The branch and bound over the hostings of a chain is exact, and slow beyond this.
inline constexpr std::size_t longest_chain = 8;

// The whole instance; for flows and nodes that did not come from a file with line numbers.
void check_instance(const SliceInstance& instance);

// The node of each function of a chain, in order.
using Hosting = std::vector<std::size_t>;
using Placement = std::vector<Hosting>;  // one per flow

// A part of a flow's rate that is smaller than this is no way of its own.
inline constexpr double smallest_split = 1e-6;

// A way for part of a leg's traffic.
struct Route {
  std::vector<std::size_t> links;
  double rate = 0;
};
// Traffic of a flow between two neighbours of (source, hosts, target).
struct Leg {
  std::size_t from = 0, to = 0;
  std::vector<Route> routes;  // none if from == to
};
// A way for part of a flow's traffic, from its source along its hosts to its target.
struct Way {
  std::vector<std::vector<std::size_t>> legs;  // links
  double rate = 0;
};
// The answer: where each function runs and how the traffic goes.
struct SlicePlan {
  Placement placement;
  std::vector<std::vector<Leg>> legs;  // per flow: chain length + 1
  std::vector<std::vector<Way>> ways =
      {};  // per flow, if it has a bound on its delay: how its routes go together
};

// The ends of leg `s` of a flow whose functions run on `hosting`.
inline std::size_t leg_start(const SliceFlow& flow, const Hosting& hosting, std::size_t s) {
  return s == 0 ? flow.source : hosting[s - 1];
}
inline std::size_t leg_end(const SliceFlow& flow, const Hosting& hosting, std::size_t s) {
  return s == hosting.size() ? flow.target : hosting[s];
}

}  // namespace bridle
