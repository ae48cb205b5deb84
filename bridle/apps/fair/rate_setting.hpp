// What all models of a fit with bounds on rates share.
#pragma once

#include "bridle/apps/fair/smoothed_rates.hpp"
#include "bridle/apps/fair/telling.hpp"

namespace bridle {

// All references must outlive it.
struct RateSetting {
  const FairProblem& problem;
  const Cells& cells;
  const std::vector<RateRow>& rows;
  StepPlan plan;
  SolveOptions options;  // of the loop that a start takes
  std::function<bool()> interrupted;
  Telling& telling;  // with the rows' worst excess in counts

  const Scorer& scorer() const { return problem.scorer(); }
  Vector counted(const Vector& scores) const;  // values of the rows
  // What the smoothing adds to the rows.
  Vector added(const Slopes& slopes, const Vector& scores) const;
  // The problem with these smoothed rates, and this share of the bounds.
  Problem smoothed(const Slopes& slopes, const Vector& offset, double share = 1) const;
};

// Of the bounds, at first: a loose bound can be met by selecting nearly nobody, and a convex loss likes that.
inline constexpr double first_share = 0.3;
// Steps of a round that is not the last.
SmoothStepOptions rough_steps(const RateSetting& setting, double gradient_scale);

}  // namespace bridle
