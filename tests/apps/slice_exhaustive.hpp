#pragma once

#include <algorithm>

#include "bridle/apps/slicing/router.hpp"

namespace bridle {

// The best of all placements, by trying them.
class Exhaustive {
 public:
  explicit Exhaustive(const SliceInstance& instance) : instance_(instance), router_(instance, 30) {}
  double best() {
    load_.assign(instance_.nodes.size(), 0);
    placement_.resize(instance_.flows.size());
    place(0);
    return best_;
  }

 private:
  void place(std::size_t k) {
    if (k == instance_.flows.size()) {
      const auto routing = router_.route(placement_);
      if (routing && routing->overload == 0) best_ = std::min(best_, routing->cost);
      return;
    }
    const SliceFlow& flow = instance_.flows[k];
    if (placement_[k].size() == flow.chain.size()) return place(k + 1);
    for (const std::size_t node : instance_.hosts_of(flow.chain[placement_[k].size()])) {
      const bool taken = std::find(placement_[k].begin(), placement_[k].end(), node) != placement_[k].end();
      if (taken || load_[node] + flow.rate > (1 + 1e-9) * instance_.nodes[node].capacity) continue;
      load_[node] += flow.rate;
      placement_[k].push_back(node);
      place(k);
      placement_[k].pop_back();
      load_[node] -= flow.rate;
    }
  }

  const SliceInstance& instance_;
  Router router_;
  std::vector<double> load_;
  Placement placement_;
  double best_ = infinity;
};

}  // namespace bridle
