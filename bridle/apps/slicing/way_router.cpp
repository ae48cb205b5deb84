#include "bridle/apps/slicing/way_router.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "bridle/apps/slicing/crumbs.hpp"

namespace bridle {
namespace {

constexpr int routings_per_program = 200;  // then its columns are too many and it starts anew

// The routes of the legs, where several ways may take the same.
std::vector<Leg> legs_of(const SliceFlow& flow, const Hosting& hosting, const std::vector<Way>& ways) {
  std::vector<Leg> out;
  for (std::size_t s = 0; s <= hosting.size(); ++s) {
    Leg leg{leg_start(flow, hosting, s), leg_end(flow, hosting, s), {}};
    for (const Way& way : ways) {
      if (leg.from == leg.to) break;
      const auto same = std::find_if(leg.routes.begin(), leg.routes.end(),
                                     [&](const Route& route) { return route.links == way.legs[s]; });
      if (same == leg.routes.end())
        leg.routes.push_back({way.legs[s], way.rate});
      else
        same->rate += way.rate;
    }
    out.push_back(std::move(leg));
  }
  return out;
}

}  // namespace

WayRouter::WayRouter(const SliceInstance& instance, double penalty, StopRequest stop)
    : instance_(instance), penalty_(penalty), stop_(std::move(stop)) {}

std::optional<Routing> WayRouter::route(const Placement& placement) {
  if (!program_ || used_++ >= routings_per_program) {
    program_.emplace(instance_, ChainGoal::cost, penalty_, stop_);
    program_->keep_links_exactly();
    used_ = 0;
  }
  program_->release_all();
  for (std::size_t k = 0; k < placement.size(); ++k) program_->tie(k, placement[k]);
  const auto outcome = program_->solve();
  if (!outcome.solved) return {};
  Routing out;
  out.overload = program_->link_overload();
  out.cost = outcome.value - penalty_ * program_->overload();
  out.prices = outcome.prices.links.cwiseMin(penalty_);
  if (!std::isfinite(out.cost) || !std::isfinite(out.overload)) return {};
  if (out.overload < 1e-7) out.overload = 0;
  return out;
}

std::optional<SlicePlan> WayRouter::plan(const Placement& placement) {
  if (!route(placement)) return {};
  SlicePlan out{placement, {}, {}};
  for (std::size_t k = 0; k < placement.size(); ++k) {
    out.ways.push_back(program_->ways(k));
    auto& ways = out.ways.back();
    if (ways.empty()) return {};
    double parts = 0;
    for (auto& way : ways) parts += way.rate;
    for (auto& way : ways) way.rate *= instance_.flows[k].rate / parts;
  }
  sweep_crumbs(instance_, out.ways);
  for (std::size_t k = 0; k < placement.size(); ++k) {
    out.legs.push_back(legs_of(instance_.flows[k], placement[k], out.ways[k]));
    if (!instance_.flows[k].in_a_hurry()) out.ways[k].clear();
  }
  return out;
}

}  // namespace bridle
