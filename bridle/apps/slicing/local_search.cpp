#include "bridle/apps/slicing/local_search.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace bridle {
namespace {

constexpr std::size_t most_cuts = 8;
constexpr double rounding_of_sums = 1e-9;
constexpr double smallest_gain = 1e-7;  // relative
constexpr double step_back = 2e-3;      // a disturbed placement may stay this much worse than the best
constexpr int patience = 8;             // ... for so many rebuilds
constexpr int stalled = 30;             // rebuilds without a better placement that end a search
constexpr int most_programs = 700;  // routing programs of a search: where many links are full they are slow
constexpr int most_refusals = 25;   // moves of several flows that routing refuses, per descent

}  // namespace

LocalSearch::LocalSearch(const SliceInstance& instance, std::uint64_t seed, StopRequest stop,
                         const StopRequest& hurry, std::function<bool(const Placed&)> enough)
    : instance_(instance),
      stop_(std::move(stop)),
      enough_(std::move(enough)),
      stream_(seed, Purpose::generator),
      penalty_(penalty_of_overload),
      router_(instance, penalty_of_overload, hurry),
      dive_(instance, penalty_of_overload, stop_) {
  for (const auto& flow : instance.flows) searches_.emplace_back(instance, flow);
}

double LocalSearch::overfull(std::size_t node, double load) const {
  const double capacity = instance_.nodes[node].capacity;
  return std::max(0.0, load - (1 + rounding_of_sums) * capacity);
}

double LocalSearch::node_overload() const {
  double sum = 0;
  for (std::size_t i = 0; i < instance_.nodes.size(); ++i)
    sum += overfull(i, node_load_[static_cast<Index>(i)]);
  return sum;
}

double LocalSearch::fee(std::size_t node, double rate) const {
  const double load = node_load_[static_cast<Index>(node)];
  return penalty_ * (overfull(node, load + rate) - overfull(node, load));
}

void LocalSearch::add(std::size_t flow, const Hosting& hosting, double sign) {
  for (const std::size_t node : hosting)
    node_load_[static_cast<Index>(node)] += sign * instance_.flows[flow].rate;
}

// Added up anew in the same order, so that rounding does not build up.
void LocalSearch::load(const Placement& placement) {
  node_load_ = Vector::Zero(static_cast<Index>(instance_.nodes.size()));
  for (std::size_t k = 0; k < placement.size(); ++k) add(k, placement[k], 1);
}

LocalSearch::Cut LocalSearch::cut_from(const Vector& prices) const {
  Cut cut{shortest_paths(instance_, prices + instance_.link_costs()), 0};
  for (std::size_t l = 0; l < instance_.links.size(); ++l)
    cut.worth += prices[static_cast<Index>(l)] * instance_.links[l].capacity;
  return cut;
}

void LocalSearch::keep(Cut cut) {
  if (cut.paths.last.empty()) return;  // before the first placement there is none
  cuts_.push_front(std::move(cut));
  if (cuts_.size() > most_cuts) cuts_.pop_back();
}

void LocalSearch::adopt(Placement placement, const Routing& routing) {
  placement_ = std::move(placement);
  routing_ = routing;
  load(placement_);
  keep(std::exchange(here_, cut_from(routing.prices)));
  least_.resize(searches_.size());
  Hosting hosting;
  for (std::size_t k = 0; k < searches_.size(); ++k) {
    searches_[k].set_lengths(here_.paths.length);
    least_[k] = infinity;
    searches_[k].best(
        least_[k], [](std::size_t, std::size_t) { return 0.0; }, hosting);
  }
}

Placed LocalSearch::evaluate(const Placement& placement) {
  const auto routing = router_.route(placement);
  ++programs_;
  Placed out{placement};
  if (!routing) return out;
  load(placement);
  out.cost = routing->cost;
  out.overload = routing->overload + node_overload();
  return out;
}

void LocalSearch::remember() {
  const Placed now{placement_, routing_.cost, routing_.overload + node_overload()};
  if (now.better_than(best_)) best_ = now;
}

std::vector<std::size_t> LocalSearch::shuffled(std::size_t count) {
  std::vector<std::size_t> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t j = random(i + 1);
    out[i] = out[j];
    out[j] = i;
  }
  return out;
}

// By duality the length of a placement at any prices, less what they make of the capacities, is no more than
// its cost: most moves that look good at one set of prices do not at another.
bool LocalSearch::cuts_allow(const Placement& placement, double limit) const {
  const auto allows = [&](const Cut& cut) {
    double least = -cut.worth;
    for (std::size_t k = 0; k < placement.size(); ++k) {
      double length = 0;
      const SliceFlow& flow = instance_.flows[k];
      for (std::size_t s = 0; s <= placement[k].size(); ++s)
        length += cut.paths.length(static_cast<Index>(leg_start(flow, placement[k], s)),
                                   static_cast<Index>(leg_end(flow, placement[k], s)));
      least += flow.rate * length;
    }
    return least < limit;
  };
  return allows(here_) && std::all_of(cuts_.begin(), cuts_.end(), allows);
}

bool LocalSearch::accept(const std::vector<std::size_t>& flows, const Placement& hostings) {
  Placement candidate = placement_;
  for (std::size_t j = 0; j < flows.size(); ++j) candidate[flows[j]] = hostings[j];
  const double goal = value() - smallest_gain * (1 + value());
  const Vector kept = node_load_;
  load(candidate);
  const double charge = penalty_ * node_overload();
  node_load_ = kept;
  if (!cuts_allow(candidate, goal - charge)) return false;
  const auto routing = router_.route(candidate);
  ++programs_;
  if (!routing) return false;
  if (routing->cost + penalty_ * routing->overload + charge < goal) {
    adopt(std::move(candidate), *routing);
    return true;
  }
  keep(cut_from(routing->prices));
  ++refusals_;
  return false;
}

void LocalSearch::place_from(const std::vector<std::size_t>& flows, std::size_t next, double spent,
                             double& limit, const std::vector<double>& optimistic, Placement& now,
                             Placement& best) {
  if (next == flows.size()) {
    limit = spent;
    best = now;
    return;
  }
  double later = 0;
  for (std::size_t j = next + 1; j < flows.size(); ++j) later += optimistic[j];
  const double rate = instance_.flows[flows[next]].rate;
  double below = limit - spent - later;
  searches_[flows[next]].for_each_below(
      below, [&](std::size_t, std::size_t node) { return fee(node, rate); },
      [&](const Hosting& hosting, double cost) {
        now[next] = hosting;
        add(flows[next], hosting, 1);
        place_from(flows, next + 1, spent + cost, limit, optimistic, now, best);
        add(flows[next], hosting, -1);
        below = limit - spent - later;
      });
}

bool LocalSearch::try_flows(const std::vector<std::size_t>& flows) {
  double current = 0, least = 0;
  const double charge_before = penalty_ * node_overload();
  for (const std::size_t k : flows) {
    current += searches_[k].cost(placement_[k]);
    least += least_[k];
  }
  const double gain = smallest_gain * (1 + value());
  if (least >= current + charge_before - gain) return false;
  const Vector kept = node_load_;
  for (const std::size_t k : flows) add(k, placement_[k], -1);
  double limit = current + charge_before - penalty_ * node_overload() - gain;
  std::vector<double> optimistic;
  Hosting hosting;
  double sum = 0;
  for (const std::size_t k : flows) {
    const double rate = instance_.flows[k].rate;
    optimistic.push_back(infinity);
    searches_[k].best(
        optimistic.back(), [&](std::size_t, std::size_t node) { return fee(node, rate); }, hosting);
    sum += optimistic.back();
  }
  Placement now(flows.size()), best;
  if (sum < limit) place_from(flows, 0, 0, limit, optimistic, now, best);
  node_load_ = kept;
  return !best.empty() && accept(flows, best);
}

void LocalSearch::descend() {
  const std::size_t count = instance_.flows.size();
  refusals_ = 0;
  const auto enough = [&] { return refusals_ >= most_refusals || programs_ >= last_program_ || stop_(); };
  for (bool changed = true; changed && !enough();) {
    changed = false;
    for (const std::size_t k : shuffled(count)) changed = try_flows({k}) || changed;
    if (changed) continue;
    for (const std::size_t a : shuffled(count)) {
      for (std::size_t b = 0; b < count; ++b)
        if (b != a && least_[a] < searches_[a].cost(placement_[a]) - rounding_of_sums)
          changed = try_flows({a, b}) || changed;
      if (enough()) break;
    }
    if (changed) continue;
    for (std::size_t trial = 0; trial < 4 * count && !changed && !enough(); ++trial) {
      const std::size_t a = random(count), b = random(count), c = random(count);
      if (a != b && b != c && a != c) changed = try_flows({a, b, c});
    }
  }
  remember();
}

// A flow, then those that share nodes with flows chosen before, or run where these would rather be.
std::vector<std::size_t> LocalSearch::related_flows(std::size_t count) {
  std::vector<bool> touched(instance_.nodes.size(), false), chosen(placement_.size(), false);
  std::vector<std::size_t> out;
  const auto choose = [&](std::size_t k) {
    chosen[k] = true;
    out.push_back(k);
    for (const std::size_t node : placement_[k]) touched[node] = true;
  };
  choose(random(placement_.size()));
  for (const std::size_t k : shuffled(placement_.size())) {
    if (out.size() >= count) break;
    const bool related = std::any_of(placement_[k].begin(), placement_[k].end(),
                                     [&](std::size_t node) { return touched[node]; });
    if (!chosen[k] && (related || random(4) == 0)) choose(k);
  }
  return out;
}

// Places some flows anew, all at once.
bool LocalSearch::rebuild() {
  const std::size_t count = std::min(placement_.size(), 4 + random(14));
  std::vector<std::optional<Hosting>> given(placement_.begin(), placement_.end());
  for (const std::size_t k : related_flows(count)) given[k].reset();
  auto rebuilt = dive_.complete(given);
  if (!rebuilt || *rebuilt == placement_) return false;
  const auto routing = router_.route(*rebuilt);
  ++programs_;
  if (!routing) return false;
  adopt(std::move(*rebuilt), *routing);
  return true;
}

Placed LocalSearch::improve(const Placement& start, int rebuilds) {
  best_ = {};
  last_program_ = programs_ + most_programs;
  const auto routing = router_.route(start);
  ++programs_;
  if (!routing) return {start};
  adopt(start, *routing);
  remember();
  if (best_.placement.size() != start.size()) return {start};  // its worth is no number
  descend();
  Placement home = placement_;
  double least_value = value();
  int waited = 0, idle = 0;
  for (int k = 0; k < rebuilds && idle < stalled && programs_ < last_program_ && !stop_(); ++k) {
    if (enough_(best_)) break;
    ++idle;
    if (!rebuild()) continue;
    descend();
    if (value() < least_value - smallest_gain * (1 + least_value)) {
      least_value = value();
      waited = idle = 0;
    } else {
      ++waited;
    }
    if (value() <= least_value + (waited < patience ? step_back * std::abs(least_value) : 0.0)) {
      home = placement_;
      continue;
    }
    if (waited >= patience) {
      home = best_.placement;
      waited = 0;
    }
    if (const auto back = router_.route(home)) adopt(home, *back);
  }
  return best_;
}

}  // namespace bridle
