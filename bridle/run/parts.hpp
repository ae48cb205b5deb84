// Everything that a run of one problem is made of, in the order in which one part needs the other.
#pragma once

#include "bridle/oracle/oracle.hpp"
#include "bridle/run/batch_choice.hpp"
#include "bridle/run/closing.hpp"
#include "bridle/run/outlook.hpp"
#include "bridle/run/second_order.hpp"
#include "bridle/run/stage_runner.hpp"
#include "bridle/run/worker_count.hpp"

namespace bridle {

struct RunParts {
  // `spent`: seconds of a time limit before a resume.
  RunParts(const Problem& stated, const SolveOptions& options, Observer& observer, double spent = 0);
  RunParts(const RunParts&) = delete;  // its parts know each other
  RunParts& operator=(const RunParts&) = delete;

  Observer& observer;
  RunState state;
  const AlgorithmDescription& algorithm;
  Outlook outlook;
  RunProblem problem;
  Index workers;  // that share the samples
  const BatchChoice batch;
  const SolveOptions options;  // with the batch that was chosen
  double cost;                 // sample gradients per iteration, of all workers
  Budget budget;
  Oracle oracle;
  Candidates candidates;
  Closing closing;
  SecondOrder second;
  StageRunner runner;
  std::optional<TheoryOutput> theory_output = {};  // as it was judged

  // The method has a point, and nothing blew up.
  bool sound() const { return runner.has_form() && runner.sound(); }
  // The loop's point.
  Candidate here() const;
  // Where the last phase ended, or where a stage that blew up began.
  LastPoint last_point() const;
  // There is no time for a look at all the data: the last point is judged on a sample.
  bool judged_quickly() const { return budget.interrupted() || problem.quick_judge; }
  // Whether the second-order phase was the last: no loop has gone on after it.
  bool second_order_was_last() const { return second.x().size() > 0 && !state.second_loop; }

  // Tells the observer, and the result.
  void say(const std::string& event);
  void note(const std::string& event);  // of the stage that comes
  // A projection may give up: then the best point so far is still worth something.
  template <class Phase>
  void carefully(Phase&& phase) {
    try {
      phase();
    } catch (const NotSettled& failure) {
      state.stage.open = false;
      note(failure.what());
    }
  }
  // 1e-6 is for runs that second-order steps have ended.
  void expect_less();
};

}  // namespace bridle
