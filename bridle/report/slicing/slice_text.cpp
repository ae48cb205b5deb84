#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "bridle/report/slicing/slice_report.hpp"

namespace bridle {
namespace {

constexpr std::size_t busiest_shown = 5, conflict_shown = 6, flows_shown = 6;

double part_of(double load, double capacity) {
  return capacity > 0 ? load / capacity : load > 0 ? infinity : 0;
}

struct Use {
  std::string name;
  double load, capacity, overload;
  double part() const { return part_of(load, capacity); }
};

std::string busiest(const char* title, std::vector<Use> uses, bool with_overload) {
  std::stable_sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) { return a.part() > b.part(); });
  std::string out = fmt::format("{:<36} {:>10} {:>10} {:>6}{}\n", title, "load", "capacity", "used",
                                with_overload ? "  overloaded" : "");
  for (std::size_t i = 0; i < std::min(busiest_shown, uses.size()); ++i)
    out += fmt::format("  {:<34} {:>10.4g} {:>10.4g} {:>5.1f}%{}\n", uses[i].name, uses[i].load,
                       uses[i].capacity, 100 * uses[i].part(),
                       with_overload ? fmt::format("  {:>9.2f}%", 100 * uses[i].overload) : "");
  return out;
}

std::string way_of(const SliceInstance& instance, const Leg& leg) {
  std::vector<std::string> ways;
  for (const Route& route : leg.routes) {
    std::string way = instance.nodes[leg.from].name;
    for (const std::size_t l : route.links) way += " " + instance.nodes[instance.links[l].to].name;
    if (leg.routes.size() > 1) way += fmt::format(" ({:.4g})", route.rate);
    ways.push_back(std::move(way));
  }
  return ways.empty() ? "(same node)" : fmt::format("{}", fmt::join(ways, " | "));
}

std::string flows_text(const SliceSetting& s) {
  const SliceInstance& instance = s.instance;
  std::string out = "flows: rate, functions at nodes, ways between them\n";
  for (std::size_t k = 0; k < instance.flows.size(); ++k) {
    const SliceFlow& flow = instance.flows[k];
    std::string hosts;
    for (std::size_t i = 0; i < flow.chain.size(); ++i)
      hosts += fmt::format("{}{} at {}", i ? ", " : "", instance.functions[flow.chain[i]],
                           instance.nodes[s.result.plan.placement[k][i]].name);
    out += fmt::format("  {:<8} {:<28} {:>8.4g}  {}\n", flow.name,
                       instance.nodes[flow.source].name + " -> " + instance.nodes[flow.target].name,
                       s.demand ? s.demand->mean()[static_cast<Index>(k)] : flow.rate, hosts);
    std::vector<std::string> ways;
    for (const Leg& leg : s.result.plan.legs[k]) ways.push_back(way_of(instance, leg));
    if (flow.in_a_hurry())
      ways.push_back(fmt::format("delay {:.4g} of at most {:.4g}",
                                 s.result.verdict.longest[static_cast<Index>(k)], flow.max_delay));
    out += fmt::format("           {}\n", fmt::join(ways, "; "));
  }
  return out;
}

// "in 19.07% (+- 0.39) of 10000 fresh samples"; where there is none, what that excludes with 95% confidence.
std::string overload_share(const Overload& overload) {
  if (overload.any > 0)
    return fmt::format("in {:.2f}% (+- {:.2f}) of {} fresh samples", 100 * overload.any,
                       100 * overload.standard_error, overload.samples);
  return fmt::format("in none of {} fresh samples (with 95% confidence in less than {:.2g}%)",
                     overload.samples, 300.0 / static_cast<double>(overload.samples));
}

std::string margin_text(const MarginChoice& choice) {
  if (choice.kept && !choice.broken_off) return "the smallest with so little overload";
  if (choice.kept) return "one with so little overload; a smaller one was still sought";
  return std::string(choice.broken_off
                         ? "the search was broken off before one with so little overload was found"
                         : "none has so little overload") +
         "; this plan is overloaded least";
}

std::string overload_text(const SliceSetting& s) {
  std::string out = fmt::format(
      "uncertain: {}; capacities kept in expectation with a margin of {:.4g}%; mean excess {:.3g}\n",
      s.demand->description(), 100 * s.margin, s.overload->excess);
  if (s.choice)
    out += fmt::format(
        "margin: {}, of {} plans{}\n", margin_text(*s.choice), s.choice->trials.size(),
        s.choice->looks > 1 ? fmt::format("; fresh samples were looked at {} times", s.choice->looks) : "");
  return out;
}

// What the plan is good at, and what it costs besides.
std::string value_text(const SliceResult& r, double total) {
  const double links = r.verdict.traffic / total, delay = r.verdict.delay / total;
  switch (r.objective) {
    case SliceObjective::delay:
      return fmt::format(
          "cost {:.6g} (rate times delay), a mean delay of {:.4g} and {:.3g} links per unit of rate",
          r.verdict.cost, delay, links);
    case SliceObjective::balance:
      return fmt::format("largest use {:.6g} of a capacity, cost {:.6g} (rate times links)",
                         r.verdict.largest_use, r.verdict.cost);
    case SliceObjective::traffic:
      break;
  }
  return fmt::format("cost {:.6g} (rate times links), {:.3g} links per unit of rate", r.verdict.cost, links);
}

std::string times_text(const SliceResult& r) {
  double relaxation = r.start_seconds, rounding = 0, search = 0;
  for (const SliceRun& run : r.runs) {
    relaxation += run.relaxation_seconds;
    rounding += run.rounding_seconds;
    search += run.search_seconds;
  }
  return fmt::format(
      "time: {:.2f} s in all on {} threads; added up over {} runs: bound {:.2f} s, relaxation {:.2f} s, "
      "rounding and "
      "routing {:.2f} s, search {:.2f} s\n",
      r.seconds, r.threads, r.runs.size(), r.bound.seconds, relaxation, rounding, search);
}

}  // namespace

std::string instance_line(const SliceInstance& instance) {
  std::size_t hosts = 0, shortest = static_cast<std::size_t>(-1), longest = 0;
  for (const auto& node : instance.nodes) hosts += node.functions.empty() ? 0 : 1;
  for (const auto& flow : instance.flows) {
    shortest = std::min(shortest, flow.chain.size());
    longest = std::max(longest, flow.chain.size());
  }
  return fmt::format(
      "instance {}: {} nodes ({} hosts), {} links, {} flows with chains of {} to {} functions\n",
      instance.name, instance.nodes.size(), hosts, instance.links.size(), instance.flows.size(), shortest,
      longest);
}

std::string conflict_text(const ChainBound& bound) {
  const std::size_t shown = std::min(conflict_shown, bound.conflict.size());
  return fmt::format(
      "{}{}",
      fmt::join(bound.conflict.begin(), bound.conflict.begin() + static_cast<std::ptrdiff_t>(shown), "; "),
      bound.conflict.size() > shown ? fmt::format("; and {} more", bound.conflict.size() - shown) : "");
}

std::string shortage_text(const SliceInstance& instance, const Shortage& shortage) {
  std::string out;
  if (const std::size_t count = shortage.flows.size(); count > 0) {
    Names named;
    for (std::size_t j = 0; j < std::min(flows_shown, count); ++j) {
      const SliceFlow& flow = instance.flows[shortage.flows[j]];
      named.push_back(fmt::format("{} ({} -> {}, rate {:.4g})", flow.name, instance.nodes[flow.source].name,
                                  instance.nodes[flow.target].name, flow.rate));
    }
    out += fmt::format("; flows that do not fit ({} of {}, with at least {:.4g} of their rate): {}{}", count,
                       instance.flows.size(), shortage.rate, fmt::join(named, ", "),
                       count > flows_shown ? fmt::format(" and {} more", count - flows_shown) : "");
  }
  if (shortage.factor)
    out += fmt::format("; larger links would do: --capacity-factor {:.6g}", *shortage.factor);
  else if (shortage.least_factor < infinity)
    out += fmt::format("; larger links alone did not help, up to --capacity-factor {:.4g}", shortage.tried);
  else
    out += "; larger links alone would not help";
  if (shortage.modules_do) out += "; so would the modules of the file: --capacities modules";
  return out;
}

std::string slice_text(const SliceSetting& s) {
  const SliceResult& r = s.result;
  double total = 0;
  for (std::size_t k = 0; k < s.instance.flows.size(); ++k)
    total += s.demand ? s.demand->mean()[static_cast<Index>(k)] : s.instance.flows[k].rate;
  std::string out;
  if (r.feasible())
    out += fmt::format(
        "{}: {}\n"
        "lower bound {:.6g}{}: proven within {:.2f}% of the least possible\n"
        "largest violation {:.1e}, by the judge\n",
        s.overload ? "placement feasible in expectation, a capacity exceeded " + overload_share(*s.overload)
                   : "feasible placement",
        value_text(r, total), r.bound.value,
        r.bound.branches > 0 ? fmt::format(" ({} branches over hostings)", r.bound.branches) : "",
        100 * std::max(0.0, r.gap()), std::max(0.0, r.verdict.violation));
  else
    out += fmt::format(
        "no feasible placement was found; the best exceeds {} by {:.2f}%, and none is proven impossible{}\n",
        r.verdict.worst, 100 * r.verdict.violation, s.shortage ? shortage_text(s.instance, *s.shortage) : "");
  out += fmt::format("total rate {:.6g}, rate times functions {:.6g}\n\n", total, r.verdict.node_load.sum());
  if (s.overload) out += overload_text(s) + "\n";
  std::vector<Use> nodes, links;
  for (std::size_t i = 0; i < s.instance.nodes.size(); ++i)
    if (!s.instance.nodes[i].functions.empty())
      nodes.push_back({s.instance.nodes[i].name, r.verdict.node_load[static_cast<Index>(i)],
                       s.instance.nodes[i].capacity,
                       s.overload ? s.overload->nodes[static_cast<Index>(i)] : 0});
  for (std::size_t l = 0; l < s.instance.links.size(); ++l)
    links.push_back({s.instance.link_name(l), r.verdict.link_load[static_cast<Index>(l)],
                     s.instance.links[l].capacity,
                     s.overload ? s.overload->links[static_cast<Index>(l)] : 0});
  out += busiest("busiest nodes", std::move(nodes), s.overload) +
         busiest("busiest links", std::move(links), s.overload);
  return out + "\n" + flows_text(s) + "\n" + times_text(r);
}

}  // namespace bridle
