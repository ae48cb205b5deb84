#include "bridle/apps/slicing/units.hpp"

#include <algorithm>
#include <cmath>

namespace bridle {

SlicePlan InUnits::stated(SlicePlan plan) const {
  for (auto& legs : plan.legs)
    for (auto& leg : legs)
      for (auto& route : leg.routes) route.rate *= unit;
  for (auto& ways : plan.ways)
    for (auto& way : ways) way.rate *= unit;
  return plan;
}

InUnits in_units(const SliceInstance& instance) {
  InUnits out{instance, 1};
  double largest = 0;
  for (const auto& flow : instance.flows) largest = std::max(largest, flow.rate);
  if (largest > 0x1p20 || (largest > 0 && largest < 0x1p-10))
    out.unit = std::exp2(std::floor(std::log2(largest)));
  for (auto& flow : out.instance.flows) flow.rate /= out.unit;
  const double plenty = 1e6 * (out.instance.work() + out.instance.total_rate());
  const auto convert = [&](double& capacity) { capacity = std::min(capacity / out.unit, plenty); };
  for (auto& node : out.instance.nodes) convert(node.capacity);
  for (auto& link : out.instance.links) convert(link.capacity);
  // Penalties are in links of usual cost.
  if (const double mean = instance.link_costs().mean(); mean > 0 && mean != 1) {
    out.cost_unit = mean;
    for (auto& link : out.instance.links) link.cost /= mean;
  }
  return out;
}

}  // namespace bridle
