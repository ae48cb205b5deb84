#include "bridle/apps/slicing/quick_way.hpp"

#include <algorithm>
#include <queue>

namespace bridle {
namespace {

constexpr std::size_t nothing = static_cast<std::size_t>(-1);

struct Label {
  double cost, delay;
  std::size_t leg, node;
  std::size_t before = nothing, link = nothing;  // the label it comes from, and over which link
};

class LabelSearch {
 public:
  LabelSearch(const SliceInstance& instance, const SliceFlow& flow, const Hosting& hosting,
              const Vector& price, const ShortestPaths& cheapest, const ShortestPaths& quickest)
      : instance_(instance), flow_(flow), price_(price), cheapest_(cheapest), quickest_(quickest) {
    for (std::size_t s = 0; s <= hosting.size(); ++s) ends_.push_back(leg_end(flow, hosting, s));
    const std::size_t legs = ends_.size();
    cost_after_.assign(legs, 0);
    delay_after_.assign(legs, 0);
    for (std::size_t s = legs - 1; s-- > 0;) {
      cost_after_[s] = cost_after_[s + 1] + at(cheapest_.length, ends_[s], ends_[s + 1]);
      delay_after_[s] = delay_after_[s + 1] + at(quickest_.length, ends_[s], ends_[s + 1]);
    }
    least_delay_.assign(legs * instance.nodes.size(), infinity);
    leaving_.resize(instance.nodes.size());
    for (std::size_t l = 0; l < instance.links.size(); ++l) leaving_[instance.links[l].from].push_back(l);
  }

  std::optional<QuickWay> search() {
    offer({0, 0, 0, flow_.source});
    while (!queue_.empty()) {
      const std::size_t now = queue_.top().second;
      queue_.pop();
      const Label label = labels_[now];
      double& least = least_delay_[label.leg * instance_.nodes.size() + label.node];
      if (label.delay >= least) continue;
      least = label.delay;
      if (label.node == ends_[label.leg]) {
        if (label.leg + 1 == ends_.size()) return way_to(now);
        offer({label.cost, label.delay, label.leg + 1, label.node, now});
        continue;
      }
      for (const std::size_t l : leaving_[label.node])
        offer({label.cost + price_[static_cast<Index>(l)], label.delay + instance_.links[l].delay, label.leg,
               instance_.links[l].to, now, l});
    }
    return {};
  }

 private:
  static double at(const Matrix& matrix, std::size_t from, std::size_t to) {
    return matrix(static_cast<Index>(from), static_cast<Index>(to));
  }

  void offer(const Label& label) {
    const std::size_t end = ends_[label.leg];
    const double later = at(quickest_.length, label.node, end) + delay_after_[label.leg];
    if (!(label.delay + later <= delay_limit(flow_))) return;
    const double bound = label.cost + at(cheapest_.length, label.node, end) + cost_after_[label.leg];
    queue_.emplace(bound, labels_.size());
    labels_.push_back(label);
  }

  QuickWay way_to(std::size_t last) const {
    QuickWay out{labels_[last].cost, std::vector<std::vector<std::size_t>>(ends_.size())};
    for (std::size_t now = last; now != nothing; now = labels_[now].before)
      if (labels_[now].link != nothing) out.legs[labels_[now].leg].push_back(labels_[now].link);
    for (auto& leg : out.legs) std::reverse(leg.begin(), leg.end());
    return out;
  }

  const SliceInstance& instance_;
  const SliceFlow& flow_;
  const Vector& price_;
  const ShortestPaths &cheapest_, &quickest_;
  std::vector<std::size_t> ends_;                 // of the legs
  std::vector<double> cost_after_, delay_after_;  // of the legs after each
  std::vector<double> least_delay_;               // at each leg and node, of the labels so far
  std::vector<std::vector<std::size_t>> leaving_;
  std::vector<Label> labels_;
  using Entry = std::pair<double, std::size_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
};

}  // namespace

std::optional<QuickWay> cheapest_quick_way(const SliceInstance& instance, const SliceFlow& flow,
                                           const Hosting& hosting, const Vector& price,
                                           const ShortestPaths& cheapest, const ShortestPaths& quickest) {
  return LabelSearch(instance, flow, hosting, price, cheapest, quickest).search();
}

}  // namespace bridle
