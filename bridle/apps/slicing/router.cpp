#include "bridle/apps/slicing/router.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "bridle/apps/slicing/crumbs.hpp"
#include "bridle/apps/slicing/way_router.hpp"

namespace bridle {
namespace {

// Clp keeps capacities up to 1e-9; a hair less than the capacity makes up for it.
constexpr double hair = 1e-9;

}  // namespace

struct Router::Program {
  Program(const SliceInstance& given, double unit_penalty, StopRequest stop)
      : instance(given),
        penalty(unit_penalty),
        stop_request(std::move(stop)),
        nodes(given.nodes.size()),
        links(given.links.size()),
        hops(shortest_paths(given, given.link_costs())) {}

  const SliceInstance& instance;
  double penalty;
  StopRequest stop_request;
  std::size_t nodes, links;
  ShortestPaths hops;
  Matrix demand;                      // (from, to), all flows together
  std::vector<std::size_t> origins;   // nodes with traffic in the program; fixed when it is built
  std::vector<std::size_t> block_of;  // origin -> its place, or `nodes`
  std::unique_ptr<ClpSimplex> clp;

  // Whether every function has a host: rounding finds none where all are too small beside the others.
  bool placed(const Placement& placement) const {
    if (placement.size() != instance.flows.size()) return false;
    for (std::size_t k = 0; k < placement.size(); ++k)
      if (placement[k].size() != instance.flows[k].chain.size()) return false;
    return true;
  }

  void collect(const Placement& placement) {
    demand = Matrix::Zero(static_cast<Index>(nodes), static_cast<Index>(nodes));
    for (std::size_t k = 0; k < placement.size(); ++k) {
      const SliceFlow& flow = instance.flows[k];
      for (std::size_t s = 0; s <= flow.chain.size(); ++s) {
        const std::size_t from = leg_start(flow, placement[k], s), to = leg_end(flow, placement[k], s);
        if (from != to) demand(static_cast<Index>(from), static_cast<Index>(to)) += flow.rate;
      }
    }
  }

  // Where links have directions, two hosts may have no way between them though each lies on some.
  bool connected() const {
    for (Index from = 0; from < demand.rows(); ++from)
      for (Index to = 0; to < demand.cols(); ++to)
        if (demand(from, to) > 0 && !(hops.length(from, to) < infinity)) return false;
    return true;
  }

  // The load of the shortest ways, and whether it fits.
  bool shortest_ways_fit(Routing& out) const {
    Vector load = Vector::Zero(static_cast<Index>(links));
    out.cost = out.overload = 0;
    for (std::size_t from = 0; from < nodes; ++from)
      for (std::size_t to = 0; to < nodes; ++to) {
        const double rate = demand(static_cast<Index>(from), static_cast<Index>(to));
        if (rate <= 0) continue;
        out.cost += rate * hops.length(static_cast<Index>(from), static_cast<Index>(to));
        for (std::size_t at = to; at != from; at = instance.links[hops.last[from][at]].from)
          load[static_cast<Index>(hops.last[from][at])] += rate;
      }
    out.prices = Vector::Zero(static_cast<Index>(links));
    for (std::size_t l = 0; l < links; ++l)
      if (load[static_cast<Index>(l)] > (1 - hair) * instance.links[l].capacity) return false;
    return true;
  }

  std::size_t row(std::size_t block, std::size_t node) const { return block * nodes + node; }
  std::size_t column(std::size_t block, std::size_t link) const { return block * links + link; }

  // Every node that a flow starts from or a function may run on is an origin.
  void build() {
    std::vector<bool> starts(nodes, false);
    for (const auto& flow : instance.flows) starts[flow.source] = true;
    for (std::size_t i = 0; i < nodes; ++i)
      if (!instance.nodes[i].functions.empty()) starts[i] = true;
    block_of.assign(nodes, nodes);
    for (std::size_t i = 0; i < nodes; ++i)
      if (starts[i]) block_of[i] = origins.size(), origins.push_back(i);

    const std::size_t blocks = origins.size(), rows = blocks * nodes + links, columns = (blocks + 1) * links;
    std::vector<CoinBigIndex> begin{0};
    std::vector<int> index;
    std::vector<double> value;
    const auto entry = [&](std::size_t in_row, double v) {
      index.push_back(static_cast<int>(in_row));
      value.push_back(v);
    };
    for (std::size_t b = 0; b < blocks; ++b)
      for (std::size_t l = 0; l < links; ++l) {
        entry(row(b, instance.links[l].from), -1);
        entry(row(b, instance.links[l].to), 1);
        entry(blocks * nodes + l, 1);
        begin.push_back(static_cast<CoinBigIndex>(index.size()));
      }
    for (std::size_t l = 0; l < links; ++l) {
      entry(blocks * nodes + l, -1);
      begin.push_back(static_cast<CoinBigIndex>(index.size()));
    }
    std::vector<double> lower(columns, 0), upper(columns, COIN_DBL_MAX), cost(columns, penalty);
    for (std::size_t b = 0; b < blocks; ++b)
      for (std::size_t l = 0; l < links; ++l) cost[column(b, l)] = instance.links[l].cost;
    std::vector<double> row_lower(rows, 0), row_upper(rows, 0);
    for (std::size_t l = 0; l < links; ++l) {
      row_lower[blocks * nodes + l] = -COIN_DBL_MAX;
      row_upper[blocks * nodes + l] = (1 - hair) * instance.links[l].capacity;
    }
    clp = std::make_unique<ClpSimplex>();
    clp->setLogLevel(0);
    stop_on_request(*clp, stop_request);
    clp->setPrimalTolerance(1e-9);
    clp->scaling(0);            // entries are 1 and -1
    clp->setPerturbation(100);  // off: a solve starts near its end
    clp->loadProblem(static_cast<int>(columns), static_cast<int>(rows), begin.data(), index.data(),
                     value.data(), lower.data(), upper.data(), cost.data(), row_lower.data(),
                     row_upper.data());
  }

  // In the row of the origin itself stands what leaves it.
  bool solve() {
    if (!clp) build();
    for (std::size_t b = 0; b < origins.size(); ++b) {
      double leaving = 0;
      for (std::size_t i = 0; i < nodes; ++i) {
        const double rate = demand(static_cast<Index>(origins[b]), static_cast<Index>(i));
        leaving += rate;
        if (i != origins[b]) clp->setRowBounds(static_cast<int>(row(b, i)), rate, rate);
      }
      clp->setRowBounds(static_cast<int>(row(b, origins[b])), -leaving, -leaving);
    }
    clp->dual();
    return clp->status() == 0;
  }

  double traffic(std::size_t block, std::size_t link) const {
    return clp->primalColumnSolution()[column(block, link)];
  }

  std::optional<Routing> routing() {
    Routing out;
    if (!connected()) return {};
    if (shortest_ways_fit(out)) return out;
    if (!solve()) return {};
    const std::size_t blocks = origins.size();
    for (std::size_t l = 0; l < links; ++l) {
      out.overload += traffic(blocks, l);
      out.prices[static_cast<Index>(l)] =
          std::clamp(-clp->dualRowSolution()[blocks * nodes + l], 0.0, penalty);
    }
    out.cost = clp->objectiveValue() - penalty * out.overload;
    if (!std::isfinite(out.cost) || !std::isfinite(out.overload)) return {};
    if (out.overload < 1e-7) out.overload = 0;
    return out;
  }

  // Takes ways from an origin's traffic one by one and hands them to the legs that go there.
  std::vector<Route> peel(std::vector<double>& traffic_left, std::size_t from, std::size_t to,
                          double rate) const {
    std::vector<Route> out;
    double left = rate;
    while (left > 1e-12 * rate && out.size() < 4 * links) {
      // Backwards from the target along the link with the most traffic; a node is passed once.
      std::vector<std::size_t> way;
      std::vector<bool> passed(nodes, false);
      double most = left;
      std::size_t at = to;
      while (at != from) {
        passed[at] = true;
        std::size_t best = links;
        for (std::size_t l = 0; l < links; ++l)
          if (instance.links[l].to == at && !passed[instance.links[l].from] && traffic_left[l] > 0 &&
              (best == links || traffic_left[l] > traffic_left[best]))
            best = l;
        if (best == links) break;
        most = std::min(most, traffic_left[best]);
        way.push_back(best);
        at = instance.links[best].from;
      }
      if (at != from) break;
      for (const std::size_t l : way) traffic_left[l] -= most;
      std::reverse(way.begin(), way.end());
      out.push_back({std::move(way), most});
      left -= most;
    }
    // What rounding left over goes along.
    if (out.empty()) out.push_back({hops.links(instance, from, to), rate});
    double sum = 0;
    for (const auto& route : out) sum += route.rate;
    out.front().rate += rate - sum;
    return out;
  }
};

Router::Router(const SliceInstance& instance, double penalty, const StopRequest& stop)
    : program_(std::make_unique<Program>(instance, penalty, stop)),
      by_ways_(instance.has_delay_bounds() ? std::make_unique<WayRouter>(instance, penalty, stop) : nullptr) {
}
Router::~Router() = default;
Router::Router(Router&&) noexcept = default;

std::optional<Routing> Router::route(const Placement& placement) {
  if (!program_->placed(placement)) return {};
  if (by_ways_) return by_ways_->route(placement);
  program_->collect(placement);
  return program_->routing();
}

std::optional<SlicePlan> Router::plan(const Placement& placement) {
  Program& program = *program_;
  if (!program.placed(placement)) return {};
  if (by_ways_) return by_ways_->plan(placement);
  program.collect(placement);
  if (!program.connected()) return {};
  Routing routing;
  const bool simple = program.shortest_ways_fit(routing);
  if (!simple && !program.solve()) return {};
  std::vector<std::vector<double>> traffic_left(program.origins.size(), std::vector<double>(program.links));
  if (!simple)
    for (std::size_t b = 0; b < program.origins.size(); ++b)
      for (std::size_t l = 0; l < program.links; ++l)
        traffic_left[b][l] = std::max(0.0, program.traffic(b, l));
  SlicePlan out{placement, {}, {}};
  for (std::size_t k = 0; k < placement.size(); ++k) {
    const SliceFlow& flow = program.instance.flows[k];
    out.legs.emplace_back();
    for (std::size_t s = 0; s <= flow.chain.size(); ++s) {
      Leg leg{leg_start(flow, placement[k], s), leg_end(flow, placement[k], s), {}};
      if (leg.from != leg.to) {
        if (simple)
          leg.routes = {{program.hops.links(program.instance, leg.from, leg.to), flow.rate}};
        else
          leg.routes = program.peel(traffic_left[program.block_of[leg.from]], leg.from, leg.to, flow.rate);
      }
      out.legs.back().push_back(std::move(leg));
    }
  }
  sweep_crumbs(program.instance, out);
  return out;
}

}  // namespace bridle
