// The course of every run, of one problem or of the nodes of a network: stages, chunks of iterations, a look
// after each.
#pragma once

#include "bridle/core/status.hpp"
#include "bridle/run/budget.hpp"

namespace bridle {

// What the driver drives.
class StagedWork {
 public:
  virtual ~StagedWork() = default;
  virtual bool open_stage() = 0;  // false: there is no other
  virtual bool stage_is_over() const = 0;
  virtual bool advance() = 0;        // to the end of the chunk; false: the budget said stop on the way
  virtual bool look() = 0;           // keeps watch, asks the judge now and then; true: good enough
  virtual void tell() = 0;           // the observer
  virtual void save(bool last) = 0;  // a checkpoint, now and then and in the end
  virtual void close_stage() = 0;
};

// True when the run came to its end by itself, false when the budget said stop.
inline bool drive(StagedWork& work, Budget& budget) {
  while (work.open_stage()) {
    while (!work.stage_is_over()) {
      bool stop = !work.advance();
      if (!stop) {
        if (work.look()) return true;
        work.tell();
        stop = budget.stop();
      }
      work.save(stop);
      if (stop) return false;
    }
    work.close_stage();
  }
  return true;
}

// What is known of the point that a run returns.
struct Verdict {
  bool holds = false;        // the certificate, at the tolerance
  bool infeasible = false;   // proved
  bool diverged = false;     // nothing sound was left, or f was proved to fall without end
  bool interrupted = false;  // by the user
};

// The judge comes first: a point that he certifies is certified, whoever ended the run.
inline Status status_of(const Verdict& v) {
  return v.holds         ? Status::stationary
         : v.interrupted ? Status::interrupted
         : v.infeasible  ? Status::infeasible
         : v.diverged    ? Status::diverged
                         : Status::budget_exhausted;
}

}  // namespace bridle
