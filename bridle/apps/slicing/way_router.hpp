// The best routing of a placement where flows have bounds on their delay: the program over whole chains with
// every flow tied to its hosting. A bound holds for ways from source to target, so these are what is routed.
#pragma once

#include "bridle/apps/slicing/chain_program.hpp"
#include "bridle/apps/slicing/router.hpp"

namespace bridle {

class WayRouter {
 public:
  WayRouter(const SliceInstance& instance, double penalty, StopRequest stop);
  std::optional<Routing> route(const Placement& placement);
  std::optional<SlicePlan> plan(const Placement& placement);

 private:
  const SliceInstance& instance_;
  double penalty_;
  StopRequest stop_;
  std::optional<ChainProgram> program_;
  int used_ = 0;
};

}  // namespace bridle
