// What is done when the loop is over: points near the last one are offered to the judge, and where none will
// do, a proof is looked for that none can.
#pragma once

#include "bridle/certify/infeasibility.hpp"
#include "bridle/certify/unboundedness.hpp"
#include "bridle/run/candidates.hpp"

namespace bridle {

class Closing {
 public:
  Closing(const RunProblem& problem, const SolveOptions& options, Budget& budget, Oracle& oracle,
          Candidates& candidates);

  // Sample gradients that the loop has to leave: a stream known through samples only needs large batches.
  double reserve() const;

  // Seconds of a time limit that the loop has to leave for the judge and for this; and of these the judge's
  // last word.
  double seconds_needed() const;
  double seconds_of_the_verdict() const;
  // The loop begins now: it gets half of the time that is left at least.
  void loop_begins() { most_seconds_ = std::min(most_seconds_, 0.5 * budget_.seconds_left_of_all()); }
  // That it will take, after a loop as long as it is planned.
  double seconds_expected() const;
  double seconds_of_a_quick_verdict() const;  // where the user waits, or the time is short
  // Half of the time is over and the judge, who is no great cost, has not been seen: how long he takes should
  // be known.
  bool wants_to_time_the_judge() const;
  bool has_time_for_a_pass() const;

  // Spends full gradients, charged to the run, on candidates near the last point, which the judge has seen.
  void polish(const LastPoint& last);
  // Shows the projection of a point that is good enough, but not on the rows.
  void meet_rows(const LastPoint& last);

  // Whether the constraints can be met at all, asked before the first step where the answer is quick to be
  // had and the start does not meet them. True: they cannot, and the point that breaks them least was shown.
  bool refuses(const Vector& start);
  bool refused() const { return refusal_.has_value(); }
  // That proof is the verdict on this point. A tolerance that the user gave and the point meets stands: both
  // are true there. One that nobody asked for does not make contradictory rows met.
  bool overrules(const Certificate& certificate) const {
    return refused() && (options_.tolerance == unsaid || !certificate.holds(candidates_.tolerance()));
  }
  // The same where the best point does not meet them in the end. `y` is a guess.
  std::optional<Infeasibility> infeasibility(const Vector& y) const;
  // So far out, beside the numbers that the problem is made of, that rounding can pass for stationarity.
  bool far_out(const Vector& x) const;
  // Whether f falls without end, asked where no point is good enough. The run ended at `last`.
  std::optional<Unboundedness> unboundedness(const Vector& last) const;

 private:
  double gradients() const;          // full gradients that the polish may take
  double seconds_of_a_pass() const;  // over the samples that the run works on
  double seconds_of_the_polish() const;
  // Full gradients, charged to the run, at most so many.
  FullGradient charged_gradient(double most);
  // The judge's error of a point that is shown to him.
  double error_of(const Candidate& candidate, FoundBy found_by);
  // The same with linear rows in place of the smooth ones, again and again around the best point.
  void polish_around(LastPoint last);
  void step_on_a_batch(LastPoint& last);
  std::optional<Infeasibility> proof_of_infeasibility(const Vector& y) const;

  const RunProblem& problem_;
  const SolveOptions& options_;
  Budget& budget_;
  Oracle& oracle_;
  Candidates& candidates_;
  double most_seconds_ = infinity;  // that it may take
  double pass_estimate_ = 0;        // seconds, where there is a time limit
  std::optional<Infeasibility> refusal_;
};

}  // namespace bridle
