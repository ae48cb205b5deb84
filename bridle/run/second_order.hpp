// The second-order phase within a run: whether it pays, how long the loop goes on before it, and what it did.
#pragma once

#include "bridle/finish/finish.hpp"
#include "bridle/run/candidates.hpp"
#include "bridle/run/result.hpp"

namespace bridle {

class SecondOrder {
 public:
  SecondOrder(const RunProblem& problem, const SolveOptions& options, bool own_parameters, Budget& budget,
              Candidates& candidates, SecondOrderFigures& figures);

  // Whether it will be run, and in place of most of the loop.
  bool planned() const { return planned_; }
  bool shortens_loop() const { return shortens_loop_; }
  // In place of all of it: a convex sum so large that the loop would see next to nothing of it; or rows bend,
  // and the user's budget does not bear one pass over the data.
  bool replaces_loop() const { return replaces_loop_; }
  // Seconds that it is expected to take; nothing where it does not apply or the time limit does not bear it.
  static std::optional<double> expected_seconds(const Problem& problem, const SolveOptions& options);
  // Sample gradients that the loop gets out of `whole`: about one pass over the data, which finds the basin.
  double loop_budget(double whole) const;
  // Why it is planned or not, for the reasons of a run.
  const Reason& reason() const { return reason_; }

  // A point that the loop certified may be a saddle: of a convex objective there are none.
  bool may_be_a_saddle() const;

  // From the loop's last point. True when the judge is content with what it found.
  bool run(const LastPoint& last);
  // It ended near a solution, where f cannot be lowered any more: a loop has nothing to add.
  bool at_rest() const { return at_rest_; }
  // It left a saddle and found no end: f may fall for ever from there.
  bool fell_away() const { return fell_away_; }
  // The point returned is where it came to rest; after a resume its phase is all that is known of it.
  bool rested_at(const JudgedPoint& point) const {
    return point.found_by == FoundBy::second_order && (x_.size() == 0 || point.x == problem_.to_user(x_));
  }
  // Where it ended, in the run's variables; empty where it has not run.
  const Vector& x() const { return x_; }
  const Vector& multipliers() const { return multipliers_; }

 private:
  const RunProblem& problem_;
  Budget& budget_;
  Candidates& candidates_;
  bool planned_ = false, shortens_loop_ = false, replaces_loop_ = false;
  Reason reason_{"2nd", 0, ""};
  double hessian_passes_ = 1;    // passes over the samples that take as long as a Hessian
  double loop_samples_ = 0;      // of the loop before it
  SecondOrderFigures& figures_;  // part of the run's state
  Vector x_, multipliers_;
  bool at_rest_ = false, fell_away_ = false;
};

}  // namespace bridle
