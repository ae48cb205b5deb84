#include "bridle/report/slicing/slice_report.hpp"

namespace bridle {
namespace {

Json nodes_json(const SliceSetting& s) {
  Json out = Json::array();
  for (std::size_t i = 0; i < s.instance.nodes.size(); ++i) {
    const SliceNode& node = s.instance.nodes[i];
    Json functions = Json::array();
    for (const std::size_t f : node.functions) functions.push_back(s.instance.functions[f]);
    Json one = {{"name", node.name},
                {"x", node.x},
                {"y", node.y},
                {"functions", functions},
                {"capacity", node.capacity}};
    if (s.result.verdict.node_load.size() > 0)
      one["load"] = s.result.verdict.node_load[static_cast<Index>(i)];
    if (s.overload) one["overload_probability"] = s.overload->nodes[static_cast<Index>(i)];
    out.push_back(std::move(one));
  }
  return out;
}

Json links_json(const SliceSetting& s) {
  Json out = Json::array();
  for (std::size_t l = 0; l < s.instance.links.size(); ++l) {
    const SliceLink& link = s.instance.links[l];
    Json one = {{"from", s.instance.nodes[link.from].name},
                {"to", s.instance.nodes[link.to].name},
                {"capacity", link.capacity}};
    if (s.result.verdict.link_load.size() > 0)
      one["load"] = s.result.verdict.link_load[static_cast<Index>(l)];
    one["delay"] = link.delay;
    if (s.overload) one["overload_probability"] = s.overload->links[static_cast<Index>(l)];
    out.push_back(std::move(one));
  }
  return out;
}

Json leg_json(const SliceInstance& instance, const Leg& leg) {
  Json routes = Json::array();
  for (const Route& route : leg.routes) {
    Json nodes = Json::array({instance.nodes[leg.from].name});
    for (const std::size_t l : route.links) nodes.push_back(instance.nodes[instance.links[l].to].name);
    routes.push_back({{"nodes", nodes}, {"links", route.links}, {"rate", route.rate}});
  }
  return {{"from", instance.nodes[leg.from].name}, {"to", instance.nodes[leg.to].name}, {"routes", routes}};
}

// Of a flow with a bound on its delay: how its routes go together.
Json ways_json(const SliceSetting& s, std::size_t k) {
  Json out = Json::array();
  if (k >= s.result.plan.ways.size()) return out;
  for (const Way& way : s.result.plan.ways[k]) {
    double delay = 0;
    for (const auto& leg : way.legs)
      for (const std::size_t l : leg) delay += s.instance.links[l].delay;
    out.push_back({{"legs", way.legs}, {"rate", way.rate}, {"delay", delay}});
  }
  return out;
}

Json flows_json(const SliceSetting& s) {
  Json out = Json::array();
  for (std::size_t k = 0; k < s.instance.flows.size(); ++k) {
    const SliceFlow& flow = s.instance.flows[k];
    Json one = {{"name", flow.name},
                {"from", s.instance.nodes[flow.source].name},
                {"to", s.instance.nodes[flow.target].name},
                {"rate", s.demand ? s.demand->mean()[static_cast<Index>(k)] : flow.rate}};
    Json chain = Json::array(), hosts = Json::array(), legs = Json::array();
    for (const std::size_t f : flow.chain) chain.push_back(s.instance.functions[f]);
    one["chain"] = chain;
    if (flow.in_a_hurry()) one["max_delay"] = flow.max_delay;
    if (k < s.result.plan.placement.size()) {
      for (const std::size_t node : s.result.plan.placement[k]) hosts.push_back(s.instance.nodes[node].name);
      for (const Leg& leg : s.result.plan.legs[k]) legs.push_back(leg_json(s.instance, leg));
      one["hosts"] = hosts;
      one["legs"] = legs;
      one["delay"] = number(s.result.verdict.longest[static_cast<Index>(k)]);
      if (flow.in_a_hurry()) one["ways"] = ways_json(s, k);
    }
    out.push_back(std::move(one));
  }
  return out;
}

Json runs_json(const SliceResult& r) {
  Json out = Json::array();
  for (const SliceRun& run : r.runs)
    out.push_back({{"seed", run.seed},
                   {"rounded", number(run.rounded)},
                   {"cost", number(run.cost)},
                   {"overload", number(run.overload)},
                   {"stages", run.stages},
                   {"iterations", run.iterations},
                   {"candidates", run.candidates},
                   {"routing_programs", run.programs},
                   {"relaxation_seconds", run.relaxation_seconds},
                   {"rounding_seconds", run.rounding_seconds},
                   {"search_seconds", run.search_seconds}});
  return out;
}

Json uncertain_json(const SliceSetting& s) {
  Json out = {{"demand", s.demand->description()},
              {"margin", s.margin},
              {"samples", s.overload->samples},
              {"overload_probability", s.overload->any},
              {"standard_error", s.overload->standard_error},
              {"mean_excess", s.overload->excess}};
  if (!s.choice) return out;
  out["kept"] = s.choice->kept;
  out["broken_off"] = s.choice->broken_off;
  out["looks"] = s.choice->looks;
  out["trials"] = Json::array();
  for (const MarginTrial& trial : s.choice->trials)
    out["trials"].push_back({{"margin", trial.margin}, {"cost", number(trial.cost)}, {"share", trial.share}});
  return out;
}

Json shortage_json(const SliceSetting& s) {
  Json flows = Json::array();
  for (const std::size_t k : s.shortage->flows) flows.push_back(s.instance.flows[k].name);
  return {{"flows", flows},
          {"rate", s.shortage->rate},
          {"least_factor", number(s.shortage->least_factor)},
          {"factor", s.shortage->factor ? number(*s.shortage->factor) : Json()},
          {"modules_do", s.shortage->modules_do}};
}

}  // namespace

Json slice_json(const SliceSetting& s) {
  const SliceResult& r = s.result;
  Json out = {{"instance", s.instance.name}, {"status", to_string(r.status)}};
  if (r.bound.infeasible) {
    out["conflict"] = r.bound.conflict;
  } else {
    out["objective"] = to_string(r.objective);
    out["cost"] = number(r.verdict.cost);
    out["traffic"] = number(r.verdict.traffic);
    out["delay"] = number(r.verdict.delay);
    out["largest_use"] = number(r.verdict.largest_use);
    out["lower_bound"] = number(r.bound.value);
    out["gap"] = number(r.gap());
    out["branches"] = r.bound.branches;
    out["violation"] = number(r.verdict.violation);
    if (!r.feasible()) out["worst"] = r.verdict.worst;
  }
  if (s.shortage) out["shortage"] = shortage_json(s);
  if (s.overload) out["uncertain"] = uncertain_json(s);
  out["variables"] = r.variables;
  out["rows"] = r.rows;
  out["seconds"] = r.seconds;
  out["load_seconds"] = s.load_seconds;
  out["bound_seconds"] = r.bound.seconds;
  out["start_seconds"] = r.start_seconds;
  out["threads"] = r.threads;
  out["runs"] = runs_json(r);
  out["best_run"] = r.best_run;
  out["nodes"] = nodes_json(s);
  out["links"] = links_json(s);
  out["flows"] = flows_json(s);
  return out;
}

}  // namespace bridle
