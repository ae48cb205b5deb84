// Lets Clp be stopped within an iteration of the simplex method: a routing program of a large network can
// take longer than anybody wants to wait after Ctrl-C.
#pragma once

#include <functional>
#include <utility>

#include <ClpEventHandler.hpp>
#include <ClpSimplex.hpp>

namespace bridle {

using StopRequest = std::function<bool()>;  // asked often; empty: never

class ClpStop final : public ClpEventHandler {
 public:
  explicit ClpStop(StopRequest stop) : stop_(std::move(stop)) {}
  int event(Event which) override { return which == endOfIteration && stop_() ? stopped : carry_on; }
  ClpEventHandler* clone() const override { return new ClpStop(stop_); }

 private:
  static constexpr int carry_on = -1, stopped = 3;
  StopRequest stop_;
};

// A solve that was stopped ends with a status other than 0, as one that failed.
inline void stop_on_request(ClpSimplex& clp, const StopRequest& stop) {
  if (!stop) return;
  const ClpStop handler(stop);
  clp.passInEventHandler(&handler);  // which copies it
}

}  // namespace bridle
