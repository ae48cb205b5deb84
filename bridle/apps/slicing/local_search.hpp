// Improves a placement: a few flows at a time are placed anew, together and exactly, at the prices that the
// best routing of the others gives their links; Clp has the last word on every move.
#pragma once

#include <deque>
#include <functional>

#include "bridle/apps/slicing/dive.hpp"
#include "bridle/apps/slicing/router.hpp"
#include "bridle/core/random.hpp"

namespace bridle {

struct Placed {
  Placement placement;
  double cost = infinity;      // rate times links
  double overload = infinity;  // beyond the capacities of nodes and links; 0: feasible
  bool feasible() const { return overload == 0; }
  bool better_than(const Placed& other) const {
    if (feasible() != other.feasible()) return feasible();
    return feasible() ? cost < other.cost : overload < other.overload;
  }
};

class LocalSearch {
 public:
  // `stop` is asked often. `hurry` is asked within the routing of a single placement too, which is then left
  // unfinished. A placement that is `enough` ends a search.
  LocalSearch(
      const SliceInstance& instance, std::uint64_t seed, StopRequest stop, const StopRequest& hurry = {},
      std::function<bool(const Placed&)> enough = [](const Placed&) { return false; });

  // The value of a placement, as it is.
  Placed evaluate(const Placement& placement);
  // Descends from the placement, then `rebuilds` times places a part of the flows anew and descends again;
  // the best that was met.
  Placed improve(const Placement& start, int rebuilds);
  // The flows without a hosting placed by the program over chains; as far as possible.
  std::optional<Placement> complete(const std::vector<std::optional<Hosting>>& given) {
    return dive_.complete(given);
  }

  int programs_solved() const { return programs_; }

 private:
  struct Cut {  // prices and what they say of a placement: it costs at least its length minus `worth`
    ShortestPaths paths;
    double worth = 0;
  };

  void adopt(Placement placement, const Routing& routing);
  void load(const Placement& placement);
  void keep(Cut cut);
  Cut cut_from(const Vector& prices) const;
  double overfull(std::size_t node, double load) const;
  double node_overload() const;
  double value() const { return routing_.cost + penalty_ * (routing_.overload + node_overload()); }
  double fee(std::size_t node, double rate) const;
  void add(std::size_t flow, const Hosting& hosting, double sign);

  void descend();
  bool try_flows(const std::vector<std::size_t>& flows);
  void place_from(const std::vector<std::size_t>& flows, std::size_t next, double spent, double& limit,
                  const std::vector<double>& optimistic, Placement& now, Placement& best);
  bool accept(const std::vector<std::size_t>& flows, const Placement& hostings);
  bool cuts_allow(const Placement& placement, double limit) const;
  bool rebuild();
  std::vector<std::size_t> related_flows(std::size_t count);
  void remember();
  std::size_t random(std::size_t count) { return stream_.below(count, counter_++); }
  std::vector<std::size_t> shuffled(std::size_t count);

  const SliceInstance& instance_;
  StopRequest stop_;
  std::function<bool(const Placed&)> enough_;
  Stream stream_;
  std::uint64_t counter_ = 0;
  double penalty_;
  Router router_;
  Dive dive_;
  std::vector<ChainSearch> searches_;
  int programs_ = 0, last_program_ = 0;  // solved; how many a search may
  int refusals_ = 0;                     // of moves that looked good, in this descent

  Placement placement_;
  Routing routing_;
  Vector node_load_;
  Cut here_;                   // of the placement at hand: the prices that the searches use
  std::deque<Cut> cuts_;       // of others, the latest first
  std::vector<double> least_;  // per flow: its cheapest chain at these prices, capacities of nodes aside
  Placed best_;
};

}  // namespace bridle
