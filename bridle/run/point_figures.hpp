// What a row of progress says of a point: the objective, and where they are asked for the judge's figures.
// Nothing here is charged to the run, and nothing changes it.
#pragma once

#include "bridle/run/candidates.hpp"

namespace bridle {

class PointFigures {
 public:
  PointFigures(const RunProblem& problem, const SolveOptions& options);

  // f at x, in the user's variables: over all samples where that is cheap beside `samples_of_a_row`, the
  // samples that the loop takes between two rows; else the mean over fresh samples, with its standard error.
  // Where f is known exactly at a point that the judge has seen, the fresh samples only tell the difference.
  void measure_objective(const Vector& x, double samples_of_a_row, const std::optional<JudgedPoint>& known,
                         Progress& out);
  // Stationarity and error by the judge, on all samples or on a fixed batch of them.
  void judge(const Vector& x, const Vector& multipliers, Progress& out);

 private:
  struct Estimate {
    double value = 0, standard_error = 0;
  };
  Estimate estimate(const Vector& x, const Vector* from, Index samples);
  const Judge& judge_of_rows();

  const RunProblem& problem_;
  const SolveOptions& options_;
  double numbers_;           // of the data that a pass over all samples reads
  std::uint64_t drawn_ = 0;  // fresh samples so far
  std::optional<Problem> sampled_;
  std::optional<Judge> judge_;
};

}  // namespace bridle
