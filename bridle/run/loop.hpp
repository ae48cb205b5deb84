// The loop of a run: stages that a rule plans, chunks of iterations, looks, checkpoints.
#pragma once

#include "bridle/run/driver.hpp"
#include "bridle/run/parts.hpp"
#include "bridle/run/progress.hpp"
#include "bridle/run/rule.hpp"
#include "bridle/run/single_run.hpp"

namespace bridle {

// How the event begins that names a sample whose gradient is not.
inline constexpr std::string_view not_finite = "the objective is not finite";

class Loop final : public StagedWork {
 public:
  Loop(RunParts& run, Continuation& continuation);

  // From the start, or from a state that was saved.
  void begin();
  // The whole run is over, and the point was found that it returns: for one that goes on from here.
  void leave(Vector x, Vector multipliers, FoundBy found_by);
  // Where the run ended that this one goes on from with another budget: a larger one must not lose it.
  const std::optional<EndPoint>& goes_on_from() const { return goes_on_from_; }
  // The observer hears of the point that is returned.
  void tell_result(const JudgedPoint& point) { progress_.tell(point, "result", run_.state.stage); }
  // The objective is not finite where the run begins: then it is told so, and there is nothing to run.
  bool start_is_flawed();
  double samples_left_of(double whole) const;
  // A second loop, after the second-order phase.
  void begin_again(const LoopSpan& span);

  bool open_stage() override;
  bool stage_is_over() const override { return run_.runner.over(); }
  bool advance() override;
  bool look() override;
  void tell() override;
  void save(bool last) override;
  void close_stage() override;

 private:
  void restore();
  void plan_loop(const LoopSpan& span);
  void go_on(const std::optional<EndPoint>& end);
  EndPoint best_seen(const Spending& spent) const;
  double samples_left() const;
  void time_stage();
  void follow_clock();
  void keep_state();
  void write_state(const std::string& payload);
  Index most_looked_at() const;
  void note_dependent_rows(const StandardForm& form);

  RunParts& run_;
  Continuation& continuation_;
  std::optional<EndPoint> goes_on_from_;
  Plan plan_;
  double end_;    // samples spent when it ends: the closing needs some, and the second-order phase
  bool clocked_;  // time is the budget, and all of it is the loop's
  // Where time is the budget: when the stage was opened or taken up, its share of what is left of
  // the loop, and the iterations that it had then.
  struct TimedStage {
    double began = 0, share = 1;
    std::uint64_t done = 0;
  };
  TimedStage timed_;
  double opening_ = 0;  // seconds that the last stage took to open
  std::unique_ptr<Rule> rule_;
  ProgressRows progress_;
  std::string state_;  // saved last, without an end point
  Stopwatch since_save_;
  bool warned_ = false;  // that a checkpoint could not be written
};

// The method's state at a point.
OriginalState state_at(const Problem& problem, const Vector& x, const Vector& multipliers);

}  // namespace bridle
