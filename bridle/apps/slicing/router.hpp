// The best routing of a placement: with every function's node fixed, what is left is a flow problem, a small
// linear program that Clp solves exactly. Traffic that starts at one node is one commodity, wherever it goes;
// but where a flow has a bound on its delay, whole ways are routed (way_router.hpp).
#pragma once

#include <memory>
#include <optional>

#include "bridle/apps/slicing/clp_stop.hpp"
#include "bridle/apps/slicing/shortest_paths.hpp"

namespace bridle {

inline constexpr double penalty_of_overload = 30;  // links that a unit of traffic is worth, in a search

struct Routing {
  double cost = 0;      // rate times links, all flows together
  double overload = 0;  // traffic beyond the links' capacities, where they do not suffice
  Vector prices;        // of the links' capacities: what one unit more would save, at most the penalty
};

class WayRouter;

class Router {
 public:
  // A unit of traffic beyond a link's capacity costs `penalty` instead of being forbidden.
  Router(const SliceInstance& instance, double penalty, const StopRequest& stop = {});
  ~Router();
  Router(Router&&) noexcept;

  // Nothing if Clp fails or is stopped, or there is no way between two hosts. A routing without prices is
  // quick: it looks first whether the shortest ways fit.
  std::optional<Routing> route(const Placement& placement);
  // The routes themselves. Capacities are kept up to rounding when the routing has no overload.
  std::optional<SlicePlan> plan(const Placement& placement);

 private:
  struct Program;
  std::unique_ptr<Program> program_;
  std::unique_ptr<WayRouter> by_ways_;  // where flows have bounds on their delay
};

}  // namespace bridle
