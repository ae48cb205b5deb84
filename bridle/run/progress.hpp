// What the observer is told while a run goes: a few hundred rows of figures, however long it takes.
#pragma once

#include <memory>

#include "bridle/run/point_figures.hpp"
#include "bridle/run/run_diagnosis.hpp"
#include "bridle/run/stage_runner.hpp"

namespace bridle {

class ProgressRows {
 public:
  ProgressRows(const RunProblem& problem, const SolveOptions& options, const Budget& budget,
               Observer& observer);

  // A row of the loop, where one is due.
  void tell(const StageRunner& runner, const RunState& state);
  // A row of what the judge has seen: of the phases after the loop, and last the point that is returned.
  void tell(const JudgedPoint& point, const std::string& phase, const StageState& stage);
  // Iterations between two rows, about.
  std::uint64_t row_length(double cost) const;
  // The loop will end when this many samples are spent.
  void expect_end(double samples) { end_ = samples; }
  // And began when this many were.
  void expect_begin(double samples) {
    first_ = samples;
    iterations_then_ = budget_.spent.iterations;
    last_row_ = -1;
    row_seconds_ = 0;
    expect_pace();
  }
  // What it was made ready with, before its first iteration, had another speed.
  void expect_pace() {
    if (budget_.spent.iterations != iterations_then_) return;
    began_ = budget_.seconds();
    spent_then_ = budget_.spent.samples;
  }
  // And so many seconds will pass after it.
  void expect_after(double seconds) { after_ = seconds; }
  // Time is the budget, and the loop takes what the phases after it leave.
  void expect_all_the_time(bool clocked) { clocked_ = clocked; }
  // Rows up to now were told before the run was resumed.
  void skip_to_now() { last_row_ = row_now(); }
  // With SolveOptions::diagnose, at the end of a stage: whether a mode may circle on its face.
  void tell_face(const StageRunner& runner, const StageState& stage);

 private:
  double row_now() const;
  double seconds_left(const Progress& row);  // of the run, by what the loop has taken so far
  double violation(const Vector& x) const;

  const RunProblem& problem_;
  const Budget& budget_;
  Observer& observer_;
  PointFigures figures_;
  std::unique_ptr<RunDiagnosis> diagnosis_;
  double last_row_ = -1;
  double end_ = infinity;
  double first_ = 0;  // samples spent when the loop began
  std::uint64_t iterations_then_ = 0;
  double began_ = 0, spent_then_ = 0;  // seconds and samples at its first iteration, or when it was resumed
  double row_seconds_ = 0;             // that its rows took
  double after_ = 0;                   // seconds of what comes after it
  bool clocked_ = false;
  double end_seconds_ = 0;  // when the run ends, as far as is known
  int after_loop_ = 0;      // rows of the phases after it
  double least_error_ = infinity;
};

}  // namespace bridle
