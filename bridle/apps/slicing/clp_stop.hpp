// Lets Clp be stopped within an iteration of the simplex method: a routing program of a large network can
// take longer than anybody wants to wait after Ctrl-C.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include <ClpEventHandler.hpp>
#include <ClpSimplex.hpp>

namespace bridle {

using StopRequest = std::function<bool()>;  // asked often; empty: never

class ClpStop final : public ClpEventHandler {
 public:
  explicit ClpStop(StopRequest stop) : stop_(std::move(stop)) {}
  int event(Event which) override { return which == endOfIteration && stop_() ? stopped : carry_on; }
  ClpEventHandler* clone() const override { return spare_ ? spare_.release() : new ClpStop(stop_); }

  // Clp deletes the handler that it has before it asks for a copy of the new one: where memory ends in that
  // copy it is left with a handler that is gone. So the copy is there beforehand.
  void pass_to(ClpSimplex& clp) {
    spare_ = std::make_unique<ClpStop>(stop_);
    clp.passInEventHandler(this);
  }

 private:
  static constexpr int carry_on = -1, stopped = 3;
  StopRequest stop_;
  mutable std::unique_ptr<ClpStop> spare_;
};

// A solve that was stopped ends with a status other than 0, as one that failed.
inline void stop_on_request(ClpSimplex& clp, const StopRequest& stop) {
  if (stop) ClpStop(stop).pass_to(clp);
}

}  // namespace bridle
