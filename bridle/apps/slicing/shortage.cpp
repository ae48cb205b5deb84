#include "bridle/apps/slicing/shortage.hpp"

#include <algorithm>
#include <cmath>

#include "bridle/apps/slicing/chain_program.hpp"
#include "bridle/apps/slicing/units.hpp"

namespace bridle {
namespace {

constexpr double price_of_lack = 1000;
constexpr double noticeable = 1e-6;  // part of a flow

// Up to three digits: nobody types more.
double rounded_up(double factor) {
  const double digit = std::pow(10, std::floor(std::log10(factor)) - 2);
  return std::ceil(factor / digit - 1e-9) * digit;
}

void find_flows(const SliceInstance& instance, double unit, const StopRequest& stop, Shortage& out) {
  ChainProgram program(instance, ChainGoal::shed, price_of_lack, stop);
  const auto outcome = program.solve();
  if (!outcome.solved) return;
  for (std::size_t k = 0; k < instance.flows.size(); ++k)
    if (program.shed(k) > noticeable) out.flows.push_back(k);
  if (!out.flows.empty()) out.rate = unit * std::max(0.0, outcome.bound);
}

void find_least_factor(const SliceInstance& instance, const StopRequest& stop, Shortage& out) {
  ChainProgram program(instance, ChainGoal::factor, price_of_lack, stop);
  const auto outcome = program.solve();
  const bool links_help = outcome.solved && program.overload() <= 1e-9 * instance.total_rate();
  out.least_factor = links_help ? std::max(0.0, outcome.bound) : infinity;
}

}  // namespace

SliceInstance with_larger_links(SliceInstance instance, double factor) {
  for (auto& link : instance.links) link.capacity *= factor;
  return instance;
}

bool can_be_placed(const SliceInstance& instance, const SliceOptions& options, const SliceWatch& watch) {
  SliceOptions quick = options;
  quick.runs = 1;
  quick.first_feasible = true;
  SliceWatch quiet;
  quiet.interrupted = watch.interrupted;
  return slice(instance, quick, quiet).feasible();
}

Shortage shortage_of(const SliceInstance& stated, const SliceOptions& options, const SliceWatch& watch) {
  Shortage out;
  const InUnits units = in_units(stated);
  find_flows(units.instance, units.unit, watch.interrupted, out);
  find_least_factor(units.instance, watch.interrupted, out);
  if (!(out.least_factor < infinity)) return out;
  for (const double more : {1.001, 1.05, 1.1, 1.2, 1.35, 1.5, 2.0}) {
    const double factor = rounded_up(more * std::max(1.0, out.least_factor));
    if (watch.interrupted()) break;
    if (!can_be_placed(with_larger_links(stated, factor), options, watch)) {
      out.tried = factor;
      continue;
    }
    out.factor = factor;
    break;
  }
  return out;
}

}  // namespace bridle
