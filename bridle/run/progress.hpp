// What the observer is told while a run goes: a few hundred rows of figures, however long it takes.
#pragma once

#include <memory>

#include "bridle/oracle/oracle.hpp"
#include "bridle/run/run_diagnosis.hpp"
#include "bridle/run/stage_runner.hpp"

namespace bridle {

class ProgressRows {
 public:
  ProgressRows(const Problem& problem, const SolveOptions& options, const Budget& budget,
               const Oracle& oracle, Observer& observer);

  // A row, where one is due.
  void tell(const StageRunner& runner, const RunState& state);
  // The loop will end when this many samples are spent.
  void expect_end(double samples) { end_ = samples; }
  // Rows up to now were told before the run was resumed.
  void skip_to_now() { last_row_ = row_now(); }
  // With SolveOptions::diagnose, at the end of a stage: whether a mode may circle on its face.
  void tell_face(const StageRunner& runner, const StageState& stage);

 private:
  double row_now() const;

  const Problem& problem_;
  const SolveOptions& options_;
  const Budget& budget_;
  const Oracle& oracle_;
  Observer& observer_;
  std::unique_ptr<RunDiagnosis> diagnosis_;
  double last_row_ = -1;
  double end_ = infinity;
};

}  // namespace bridle
