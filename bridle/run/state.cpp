#include "bridle/run/state.hpp"

namespace bridle {

bool fits(const RunState& state, const std::optional<EndPoint>& end, const Problem& working,
          const Problem& user) {
  // Stages have linear rows in the place of smooth ones; before the first stage those have none.
  const Index n = working.dimension(), rows = working.row_count(), stated_rows = working.rows().count();
  const auto none_or = [](const Vector& v, Index count) { return v.size() == 0 || v.size() == count; };
  const auto original = [&](const OriginalState& s) {
    return s.x.size() == n && s.z.size() == n && s.multipliers.size() == rows &&
           (s.slacks.size() == rows || s.slacks.size() == stated_rows) &&
           s.smoothed_slacks.size() == s.slacks.size();
  };
  const auto judged = [&](const std::optional<JudgedPoint>& point) {
    return !point ||
           (point->x.size() == user.dimension() && point->certificate.multipliers.size() == user.row_count());
  };
  const Scaling& scaling = state.stage.scaling;
  const JudgedPoints& seen = state.judged;
  const auto& random = state.random_output;
  return original(state.good) && none_or(scaling.columns, n) && none_or(scaling.slacks, rows) &&
         none_or(scaling.reference, n) && judged(seen.best) && judged(seen.best_feasible) &&
         judged(seen.lowest_feasible) && judged(seen.latest) &&
         (!random || (original(random->at) && none_or(random->post_processed, n) &&
                      none_or(random->post_multipliers, rows))) &&
         (!end || (end->x.size() == n && none_or(end->multipliers, rows)));
}

}  // namespace bridle
