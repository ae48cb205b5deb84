#include "bridle/apps/slicing/judge.hpp"

#include <algorithm>
#include <cmath>

namespace bridle {
namespace {

class Judge {
 public:
  Judge(const SliceInstance& instance, const SlicePlan& plan) : instance_(instance), plan_(plan) {
    verdict_.node_load = Vector::Zero(static_cast<Index>(instance.nodes.size()));
    verdict_.link_load = Vector::Zero(static_cast<Index>(instance.links.size()));
  }

  Verdict judge() {
    const std::size_t count = instance_.flows.size();
    if (plan_.placement.size() != count || plan_.legs.size() != count) {
      blame(infinity, "the plan has not one entry per flow");
      return verdict_;
    }
    for (std::size_t k = 0; k < count; ++k) flow(instance_.flows[k], plan_.placement[k], plan_.legs[k]);
    for (std::size_t i = 0; i < instance_.nodes.size(); ++i)
      capacity(verdict_.node_load[static_cast<Index>(i)], instance_.nodes[i].capacity,
               "node " + instance_.nodes[i].name);
    for (std::size_t l = 0; l < instance_.links.size(); ++l)
      capacity(verdict_.link_load[static_cast<Index>(l)], instance_.links[l].capacity,
               "link " + instance_.link_name(l));
    return verdict_;
  }

 private:
  void blame(double violation, const std::string& where) {
    if (std::isnan(violation)) violation = infinity;
    if (violation <= verdict_.violation) return;
    verdict_.violation = violation;
    verdict_.worst = where;
  }
  void capacity(double load, double limit, const std::string& where) {
    blame((load - limit) / (limit > 0 ? limit : std::max(1.0, load)), where);
  }

  void flow(const SliceFlow& flow, const Hosting& hosting, const std::vector<Leg>& legs) {
    if (hosting.size() != flow.chain.size() || legs.size() != flow.chain.size() + 1)
      return blame(infinity, "flow " + flow.name + ": its chain is not placed");
    std::size_t at = flow.source;
    for (std::size_t s = 0; s <= hosting.size(); ++s) {
      const std::size_t next = s < hosting.size() ? hosting[s] : flow.target;
      if (s < hosting.size()) host(flow, hosting, s);
      leg(flow, legs[s], at, next);
      at = next;
    }
  }

  void host(const SliceFlow& flow, const Hosting& hosting, std::size_t s) {
    const std::size_t node = hosting[s];
    if (node >= instance_.nodes.size()) return blame(infinity, "flow " + flow.name + ": an unknown node");
    const auto& offered = instance_.nodes[node].functions;
    if (std::find(offered.begin(), offered.end(), flow.chain[s]) == offered.end())
      blame(infinity, "flow " + flow.name + ": " + instance_.nodes[node].name + " does not offer a function");
    for (std::size_t other = 0; other < s; ++other)
      if (hosting[other] == node)
        blame(infinity, "flow " + flow.name + ": two functions on " + instance_.nodes[node].name);
    verdict_.node_load[static_cast<Index>(node)] += flow.rate;
  }

  void leg(const SliceFlow& flow, const Leg& leg, std::size_t from, std::size_t to) {
    double sum = 0;
    for (const Route& route : leg.routes) {
      blame(-route.rate / flow.rate, "flow " + flow.name + ": a route of negative rate");
      if (const double part = route.rate / flow.rate; part < smallest_split * (1 - 1e-6))
        blame(smallest_split - part, "flow " + flow.name + ": a route of next to nothing");
      std::size_t at = from;
      for (const std::size_t l : route.links) {
        if (l >= instance_.links.size() || instance_.links[l].from != at)
          return blame(infinity, "flow " + flow.name + ": a route with a gap");
        at = instance_.links[l].to;
        verdict_.link_load[static_cast<Index>(l)] += route.rate;
        verdict_.cost += route.rate;
      }
      if (at != to) blame(infinity, "flow " + flow.name + ": a route that ends elsewhere");
      sum += route.rate;
    }
    if (from != to)
      blame(std::abs(sum - flow.rate) / flow.rate, "flow " + flow.name + ": routes that do not add up");
  }

  const SliceInstance& instance_;
  const SlicePlan& plan_;
  Verdict verdict_;
};

}  // namespace

Verdict judge_plan(const SliceInstance& instance, const SlicePlan& plan) {
  return Judge(instance, plan).judge();
}

}  // namespace bridle
