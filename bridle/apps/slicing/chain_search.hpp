// The cheapest hostings of one flow's chain: branch and bound over the functions in order, bounded below by
// the cost of the rest of the way when functions may share a node.
#pragma once

#include <algorithm>

#include "bridle/apps/slicing/shortest_paths.hpp"

namespace bridle {

class ChainSearch {
 public:
  ChainSearch(const SliceInstance& instance, const SliceFlow& flow)
      : flow_(&flow), hosts_(instance.hosts_along(flow)) {
    for (auto& hosts : hosts_)  // no part of it runs on a smaller node
      std::erase_if(hosts, [&](std::size_t host) { return flow.rate > instance.nodes[host].capacity; });
    rest_.resize(hosts_.size());
    for (std::size_t s = 0; s < hosts_.size(); ++s) rest_[s].resize(hosts_[s].size());
  }

  const SliceFlow& flow() const { return *flow_; }
  const std::vector<std::size_t>& hosts(std::size_t s) const { return hosts_[s]; }

  // Cost per unit of rate: the way's length. Keeps a pointer to `length`.
  void set_lengths(const Matrix& length) {
    length_ = &length;
    for (std::size_t s = hosts_.size(); s-- > 0;)
      for (std::size_t j = 0; j < hosts_[s].size(); ++j) {
        double least = infinity;
        if (s + 1 == hosts_.size())
          least = distance(hosts_[s][j], flow_->target);
        else
          for (std::size_t next = 0; next < hosts_[s + 1].size(); ++next)
            if (hosts_[s + 1][next] != hosts_[s][j])
              least = std::min(least, distance(hosts_[s][j], hosts_[s + 1][next]) + rest_[s + 1][next]);
        rest_[s][j] = least;
      }
  }

  // The length of the way along a hosting, times the rate.
  double cost(const Hosting& hosting) const {
    double sum = 0;
    for (std::size_t s = 0; s <= hosting.size(); ++s)
      sum += distance(leg_start(*flow_, hosting, s), leg_end(*flow_, hosting, s));
    return flow_->rate * sum;
  }

  // Calls visit(hosting, cost) for hostings that cost less than `limit`, which the visitor may lower.
  // fee(s, node) >= 0 is the charge for running function s there, infinite to forbid it.
  template <class Fee, class Visit>
  void for_each_below(double& limit, Fee&& fee, Visit&& visit) const {
    Hosting hosting;
    hosting.reserve(hosts_.size());
    descend(hosting, flow_->source, 0.0, limit, fee, visit);
  }

  // The best hosting that costs less than `limit`, which becomes its cost; empty optional: there is none.
  template <class Fee>
  bool best(double& limit, Fee&& fee, Hosting& best_hosting) const {
    bool found = false;
    for_each_below(limit, fee, [&](const Hosting& hosting, double cost) {
      best_hosting = hosting;
      limit = cost;
      found = true;
    });
    return found;
  }

 private:
  double distance(std::size_t from, std::size_t to) const {
    return (*length_)(static_cast<Index>(from), static_cast<Index>(to));
  }

  template <class Fee, class Visit>
  void descend(Hosting& hosting, std::size_t at, double cost, double& limit, Fee& fee, Visit& visit) const {
    const std::size_t s = hosting.size();
    if (s == hosts_.size()) {
      cost += flow_->rate * distance(at, flow_->target);
      if (cost < limit) visit(static_cast<const Hosting&>(hosting), cost);
      return;
    }
    struct Branch {
      double bound, cost;
      std::size_t node;
    };
    std::vector<Branch> branches;
    branches.reserve(hosts_[s].size());
    for (std::size_t j = 0; j < hosts_[s].size(); ++j) {
      const std::size_t node = hosts_[s][j];
      if (std::find(hosting.begin(), hosting.end(), node) != hosting.end()) continue;
      const double here = cost + flow_->rate * distance(at, node);
      const double bound = here + flow_->rate * rest_[s][j];
      if (!(bound < limit)) continue;
      const double charge = fee(s, node);
      if (bound + charge < limit) branches.push_back({bound + charge, here + charge, node});
    }
    std::stable_sort(branches.begin(), branches.end(),
                     [](const Branch& a, const Branch& b) { return a.bound < b.bound; });
    for (const Branch& branch : branches) {
      if (!(branch.bound < limit)) break;
      hosting.push_back(branch.node);
      descend(hosting, branch.node, branch.cost, limit, fee, visit);
      hosting.pop_back();
    }
  }

  const SliceFlow* flow_;
  std::vector<std::vector<std::size_t>> hosts_;
  std::vector<std::vector<double>> rest_;  // per unit of rate, from the host to the target
  const Matrix* length_ = nullptr;
};

}  // namespace bridle
