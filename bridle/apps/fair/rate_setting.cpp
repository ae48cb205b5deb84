#include "bridle/apps/fair/rate_setting.hpp"

namespace bridle {

Vector RateSetting::counted(const Vector& scores) const {
  return values_of(rows, rates_of(cells, cells.selected(scores)));
}

Vector RateSetting::added(const Slopes& slopes, const Vector& scores) const {
  return values_of(rows, smoothed_rates(cells, slopes, scores)) - counted(scores);
}

Problem RateSetting::smoothed(const Slopes& slopes, const Vector& offset, double share) const {
  Problem out = problem.without_bounds();
  const SmoothedRateRows smooth(cells, rows, scorer(), slopes, offset);
  out.subject_to_smooth(smooth, share * smooth.lower(), share * smooth.upper());
  return out;
}

SmoothStepOptions rough_steps(const RateSetting& s, double gradient_scale) {
  constexpr double tolerance = 1e-2;
  SmoothStepOptions out = step_options(s.problem, s.plan, gradient_scale, s.interrupted);
  out.tolerance = tolerance;
  out.most_steps = s.plan.steps_per_round;
  return out;
}

}  // namespace bridle
