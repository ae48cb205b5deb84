// The cheapest hostings of one flow's chain: branch and bound over the functions in order, bounded below by
// the cost of the rest of the way when functions may share a node.
#pragma once

#include <algorithm>

#include "bridle/apps/slicing/quick_way.hpp"

namespace bridle {

class ChainSearch {
 public:
  ChainSearch(const SliceInstance& instance, const SliceFlow& flow)
      : flow_(&flow), hosts_(instance.hosts_along(flow)) {
    for (auto& hosts : hosts_)  // no part of it runs on a smaller node
      std::erase_if(hosts, [&](std::size_t host) { return flow.rate > instance.nodes[host].capacity; });
    rest_.resize(hosts_.size());
    for (std::size_t s = 0; s < hosts_.size(); ++s) rest_[s].resize(hosts_[s].size());
    if (!flow.in_a_hurry()) return;
    delay_ = shortest_paths(instance, instance.link_delays()).length;
    late_ = rest_;
    fill_rest(delay_, late_);
  }

  const SliceFlow& flow() const { return *flow_; }
  const std::vector<std::size_t>& hosts(std::size_t s) const { return hosts_[s]; }

  // Cost per unit of rate: the way's length. Keeps a pointer to `length`.
  void set_lengths(const Matrix& length) {
    length_ = &length;
    fill_rest(length, rest_);
  }

  // The length of the way along a hosting, times the rate.
  double cost(const Hosting& hosting) const {
    double sum = 0;
    for (std::size_t s = 0; s <= hosting.size(); ++s)
      sum += distance(leg_start(*flow_, hosting, s), leg_end(*flow_, hosting, s));
    return flow_->rate * sum;
  }

  // Calls visit(hosting, cost) for hostings that cost less than `limit`, which the visitor may lower, and
  // along which some way, maybe not the one of this cost, keeps the flow's bound on the delay. fee(s, node)
  // >= 0 is the charge for running function s there, infinite to forbid it.
  template <class Fee, class Visit>
  void for_each_below(double& limit, Fee&& fee, Visit&& visit) const {
    Hosting hosting;
    hosting.reserve(hosts_.size());
    descend(hosting, flow_->source, {0.0, 0.0}, limit, fee, visit);
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

  // The least length from each host to the target when functions may share a node.
  void fill_rest(const Matrix& length, std::vector<std::vector<double>>& rest) const {
    const auto between = [&](std::size_t from, std::size_t to) {
      return length(static_cast<Index>(from), static_cast<Index>(to));
    };
    for (std::size_t s = hosts_.size(); s-- > 0;)
      for (std::size_t j = 0; j < hosts_[s].size(); ++j) {
        double least = infinity;
        if (s + 1 == hosts_.size())
          least = between(hosts_[s][j], flow_->target);
        else
          for (std::size_t next = 0; next < hosts_[s + 1].size(); ++next)
            if (hosts_[s + 1][next] != hosts_[s][j])
              least = std::min(least, between(hosts_[s][j], hosts_[s + 1][next]) + rest[s + 1][next]);
        rest[s][j] = least;
      }
  }
  double delay(std::size_t from, std::size_t to) const {
    return delay_.size() > 0 ? delay_(static_cast<Index>(from), static_cast<Index>(to)) : 0;
  }

  struct Spent {
    double cost, delay;
  };

  template <class Fee, class Visit>
  void descend(Hosting& hosting, std::size_t at, Spent spent, double& limit, Fee& fee, Visit& visit) const {
    const std::size_t s = hosting.size();
    if (s == hosts_.size()) {
      const double cost = spent.cost + flow_->rate * distance(at, flow_->target);
      if (cost < limit && spent.delay + delay(at, flow_->target) <= delay_limit(*flow_))
        visit(static_cast<const Hosting&>(hosting), cost);
      return;
    }
    struct Branch {
      double bound;
      Spent spent;
      std::size_t node;
    };
    std::vector<Branch> branches;
    branches.reserve(hosts_[s].size());
    for (std::size_t j = 0; j < hosts_[s].size(); ++j) {
      const std::size_t node = hosts_[s][j];
      if (std::find(hosting.begin(), hosting.end(), node) != hosting.end()) continue;
      const double late = spent.delay + delay(at, node);
      if (delay_.size() > 0 && !(late + late_[s][j] <= delay_limit(*flow_))) continue;
      const double here = spent.cost + flow_->rate * distance(at, node);
      const double bound = here + flow_->rate * rest_[s][j];
      if (!(bound < limit)) continue;
      const double charge = fee(s, node);
      if (bound + charge < limit) branches.push_back({bound + charge, {here + charge, late}, node});
    }
    std::stable_sort(branches.begin(), branches.end(),
                     [](const Branch& a, const Branch& b) { return a.bound < b.bound; });
    for (const Branch& branch : branches) {
      if (!(branch.bound < limit)) break;
      hosting.push_back(branch.node);
      descend(hosting, branch.node, branch.spent, limit, fee, visit);
      hosting.pop_back();
    }
  }

  const SliceFlow* flow_;
  std::vector<std::vector<std::size_t>> hosts_;
  std::vector<std::vector<double>> rest_;  // per unit of rate, from the host to the target
  const Matrix* length_ = nullptr;
  Matrix delay_;                           // the least between all nodes; empty without a bound on it
  std::vector<std::vector<double>> late_;  // of it, from the host to the target
};

}  // namespace bridle
