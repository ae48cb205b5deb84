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
    verdict_.longest = Vector::Zero(static_cast<Index>(instance.flows.size()));
  }

  Verdict judge() {
    const std::size_t count = instance_.flows.size();
    if (plan_.placement.size() != count || plan_.legs.size() != count) {
      blame(infinity, "the plan has not one entry per flow");
      return verdict_;
    }
    for (std::size_t k = 0; k < count; ++k) {
      flow(instance_.flows[k], plan_.placement[k], plan_.legs[k]);
      delays(k);
    }
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
    if (load > 0) verdict_.largest_use = std::max(verdict_.largest_use, limit > 0 ? load / limit : infinity);
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
        verdict_.cost += route.rate * instance_.links[l].cost;
        verdict_.traffic += route.rate;
        verdict_.delay += route.rate * instance_.links[l].delay;
      }
      if (at != to) blame(infinity, "flow " + flow.name + ": a route that ends elsewhere");
      sum += route.rate;
    }
    if (from != to)
      blame(std::abs(sum - flow.rate) / flow.rate, "flow " + flow.name + ": routes that do not add up");
  }

  double delay_of(const std::vector<std::size_t>& links) const {
    double sum = 0;
    for (const std::size_t l : links) sum += l < instance_.links.size() ? instance_.links[l].delay : infinity;
    return sum;
  }

  void delays(std::size_t k) {
    const SliceFlow& flow = instance_.flows[k];
    double& longest = verdict_.longest[static_cast<Index>(k)];
    if (k < plan_.ways.size() && !plan_.ways[k].empty()) {
      for (const Way& way : plan_.ways[k]) {
        double sum = 0;
        for (const auto& leg : way.legs) sum += delay_of(leg);
        longest = std::max(longest, sum);
      }
      ways(flow, plan_.placement[k], plan_.legs[k], plan_.ways[k]);
    } else {
      for (const Leg& leg : plan_.legs[k]) {
        double most = 0;
        for (const Route& route : leg.routes) most = std::max(most, delay_of(route.links));
        longest += most;
      }
    }
    if (flow.in_a_hurry())
      blame((longest - flow.max_delay) / (flow.max_delay > 0 ? flow.max_delay : 1),
            "the bound on the delay of flow " + flow.name);
  }

  // Whether the ways go where the flow goes, and load every leg as its routes do.
  void ways(const SliceFlow& flow, const Hosting& hosting, const std::vector<Leg>& legs,
            const std::vector<Way>& ways) {
    const std::size_t count = instance_.links.size();
    std::vector<double> difference(legs.size() * count, 0);
    double sum = 0;
    for (const Way& way : ways) {
      if (way.legs.size() != legs.size() || legs.size() != hosting.size() + 1)
        return blame(infinity, "flow " + flow.name + ": a way without all its legs");
      if (const double part = way.rate / flow.rate; !(part >= smallest_split * (1 - 1e-6)))
        blame(smallest_split - part, "flow " + flow.name + ": a way of next to nothing");
      std::size_t at = flow.source;
      for (std::size_t s = 0; s < legs.size(); ++s) {
        for (const std::size_t l : way.legs[s]) {
          if (l >= count || instance_.links[l].from != at)
            return blame(infinity, "flow " + flow.name + ": a way with a gap");
          at = instance_.links[l].to;
          difference[s * count + l] += way.rate;
        }
        if (at != (s < hosting.size() ? hosting[s] : flow.target))
          return blame(infinity, "flow " + flow.name + ": a way past its hosts");
      }
      sum += way.rate;
    }
    blame(std::abs(sum - flow.rate) / flow.rate, "flow " + flow.name + ": ways that do not add up");
    for (std::size_t s = 0; s < legs.size(); ++s)
      for (const Route& route : legs[s].routes)
        for (const std::size_t l : route.links)
          if (l < count) difference[s * count + l] -= route.rate;
    for (const double one : difference)
      blame(std::abs(one) / flow.rate, "flow " + flow.name + ": ways that are not its routes");
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
