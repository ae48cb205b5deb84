#include "bridle/apps/fair/rate_start.hpp"

#include "bridle/run/solve.hpp"

namespace bridle {
namespace {

constexpr double first_width = 0.8;  // of the smoothing: that of a start does not matter much
constexpr int even_rounds = 3, free_steps = 10;

// One pass of the loop with the rows around w = 0, which are differences of group means: it saves steps on
// large data, and picks other basins.
Vector after_a_pass(const RateSetting& s, std::uint64_t seed, double& samples) {
  const Vector origin = Vector::Zero(s.scorer().weights());
  const Slopes ones = Vector::Ones(static_cast<Index>(s.cells.size()));
  const Problem smooth = s.smoothed(ones, Vector::Zero(static_cast<Index>(s.rows.size())));
  SolveOptions options = s.options;
  options.epochs = 1;
  options.seed = seed;
  options.second_order = options.finish = false;
  Nobody silent;
  const Result first = solve(smooth.linearised(origin, smooth.smooth_rows().at(origin)), options, &silent);
  samples += first.samples;
  return first.x;
}

// Rows that hold the rate of every cell near the one that all cells compared with it have together.
std::vector<RateRow> even_rows(const RateSetting& s, const Vector& selected) {
  const double room = 0.5 * first_share * s.rows.front().unit;
  std::vector<RateRow> out;
  for (std::size_t c = 0; c < s.cells.size(); ++c) {
    double yes = 0, all = 0;
    for (std::size_t d = 0; d < s.cells.size(); ++d) {
      if (s.cells[d].attribute != s.cells[c].attribute || s.cells[d].label != s.cells[c].label) continue;
      yes += selected[static_cast<Index>(d)];
      all += static_cast<double>(s.cells[d].people);
    }
    out.push_back({c, c, 1, 0, yes / all - room, yes / all + room, s.rows.front().unit});
  }
  return out;
}

// The model without bounds selects about as many people as it should, some groups more than others. Even
// rates with as many people in all are where the accurate models are that meet a gap; nearly everybody, or
// nearly nobody, is selected in the other basins.
SmoothSteps at_even_rates(const RateSetting& s, double gradient_scale) {
  const SmoothStepOptions rough = rough_steps(s, gradient_scale);
  SmoothStepOptions more = rough;
  more.most_steps = free_steps;
  SmoothSteps free(Vector::Zero(s.scorer().weights()), 0);
  free.take(s.problem.without_bounds(), more);
  const std::vector<RateRow> rows = even_rows(s, s.cells.selected(s.scorer().scores(free.x())));
  SmoothSteps out(free.x(), static_cast<Index>(rows.size()));
  for (int round = 0; round < even_rounds; ++round) {
    const Vector scores = s.scorer().scores(out.x());
    const Slopes slopes = slopes_of(s.cells, scores, first_width);
    const Vector added =
        smoothed_rates(s.cells, slopes, scores) - rates_of(s.cells, s.cells.selected(scores));
    const SmoothedRateRows smooth(s.cells, rows, s.scorer(), slopes, values_of(rows, added));
    Problem problem = s.problem.without_bounds();
    problem.subject_to_smooth(smooth, smooth.lower(), smooth.upper());
    out.take(problem, rough);
  }
  return out;
}

}  // namespace

RateStart rate_start(const RateSetting& s, int number) {
  const auto rows = static_cast<Index>(s.rows.size());
  const std::uint64_t seed = s.options.seed + static_cast<std::uint64_t>(number);
  const Vector origin = first_weights(s.problem, seed);
  RateStart out{SmoothSteps(origin, rows), seed, gradient_scale_at(s.problem, origin)};
  if (s.problem.network()) {
    out.steps = SmoothSteps(first_weights_after_passes(s.problem, seed, s.options, out.samples), rows);
    const Vector scores = s.scorer().scores(out.steps.x());
    const Slopes slopes = slopes_of(s.cells, scores, first_width);
    out.steps.take(s.smoothed(slopes, s.added(slopes, scores)), rough_steps(s, out.gradient_scale));
    return out;
  }
  const bool few = static_cast<double>(s.scorer().people()) < people_per_start;
  if (few && number == 0) {
    const SmoothSteps even = at_even_rates(s, out.gradient_scale);
    out.steps = SmoothSteps(even.x(), rows);
    out.samples = even.steps() * static_cast<double>(s.scorer().people());
  } else if (few && number == 1) {
    // Around 0 rows do not depend on the width.
    const Slopes slopes = slopes_of(s.cells, s.scorer().scores(origin), first_width);
    out.steps.take(s.smoothed(slopes, Vector::Zero(rows)), rough_steps(s, out.gradient_scale));
  } else {
    out.steps = SmoothSteps(after_a_pass(s, seed, out.samples), rows);
  }
  return out;
}

}  // namespace bridle
