#include "bridle/apps/fair/rate_training.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

namespace bridle {
namespace {

constexpr int most_score_rounds = 8;     // of slopes and offsets
constexpr double fine_tolerance = 1e-5;  // enough to count decisions
constexpr double damping = 0.5;          // of the offset, from the third round on
constexpr double settled = 0.1;          // of a row's unit: change of an offset that starts no further round
constexpr int enough_drawn_in = 3, most_drawn_in = 12;  // once counts have held, and before

// With the rows' weights, where they have some.
double accuracy_of(const Vector& scores, const FairData& data) {
  double right = 0, all = 0;
  for (Index i = 0; i < scores.size(); ++i) {
    const double weight = data.weights.size() > 0 ? data.weights[i] : 1;
    right += (scores[i] > 0) == (data.labels[i] > 0) ? weight : 0;
    all += weight;
  }
  return right / all;
}

double largest_gap(const RateSetting& s, const Vector& scores) {
  return s.counted(scores).lpNorm<Eigen::Infinity>();
}
double excess_at(const RateSetting& s, const Vector& w) {
  return largest_excess(s.rows, s.cells, s.cells.selected(s.scorer().scores(w)));
}

SmoothStepOptions sharp_steps(const RateSetting& s, double gradient_scale) {
  return step_options(s.problem, s.plan, gradient_scale, s.interrupted);
}
SmoothStepOptions fine_steps(const RateSetting& s, double gradient_scale) {
  SmoothStepOptions out = sharp_steps(s, gradient_scale);
  out.tolerance = std::max(out.tolerance, fine_tolerance);
  return out;
}
// What one person more or less can change of a row.
double a_person(const RateSetting& s, const RateRow& row) {
  return row.first_factor / static_cast<double>(s.cells[row.first].people) +
         row.second_factor / static_cast<double>(s.cells[row.second].people);
}

// Slopes and offsets follow the scores, until offsets stand still and the smoothed problem is
// stationary.
void follow_scores(const RateSetting& s, double width, TrainedRates& out) {
  const SmoothStepOptions rough = rough_steps(s, out.gradient_scale),
                          sharp = sharp_steps(s, out.gradient_scale);
  SmoothSteps& steps = out.steps;
  // The judge needs slopes and offsets, whoever interrupts.
  for (int round = 0; round < most_score_rounds && (round == 0 || !s.interrupted()); ++round) {
    const Vector scores = s.scorer().scores(steps.x());
    out.slopes = slopes_of(s.cells, scores, width);
    const Vector added = s.added(out.slopes, scores);
    const Vector change = round < 2 ? added : Vector(out.offset + damping * (added - out.offset));
    double moved = round < 2 ? infinity : 0;
    for (Index r = 0; round >= 2 && r < change.size(); ++r)
      moved = std::max(moved, std::abs(change[r] - out.offset[r]) / s.rows[static_cast<std::size_t>(r)].unit);
    if (out.converged && moved < settled) break;
    out.offset = change;
    const bool last = moved < settled || round + 1 == most_score_rounds;
    const Problem problem = s.smoothed(out.slopes, out.offset, round == 0 ? first_share : 1);
    out.converged = steps.take(problem, last ? sharp : rough) && last;
    s.telling.row(steps, problem, excess_at(s, steps.x()));
    if (last) break;
  }
}

// How far inside its bounds a row with a price may be in counts, for it to be worth no further steps.
double close_enough(const RateSetting& s, const RateRow& row) {
  return 0.01 * row.unit + 2 * a_person(s, row);
}

// True: no row with a price could take more people.
bool at_bounds(const RateSetting& s, const Vector& counts, const Vector& prices) {
  for (std::size_t r = 0; r < s.rows.size(); ++r) {
    const RateRow& row = s.rows[r];
    const auto at = static_cast<Index>(r);
    const double left = prices[at] > 0 ? row.upper - counts[at] : counts[at] - row.lower;
    if (prices[at] != 0 && left > close_enough(s, row)) return false;
  }
  return true;
}

// Offsets follow the stationary point, and where its counts are beyond a bound, that bound is drawn in by as
// much and half a person more; between an offset that was too loose and one that was too tight it is the
// middle. The model is then stationary where it is. Of the points whose counts hold the most accurate is
// kept; without one the answer is empty.
struct Held {
  SmoothSteps steps;
  Vector offset;
  double accuracy = 0;
  int drawn_in = 0;
};
std::optional<Held> draw_in(const RateSetting& s, const TrainedRates& from) {
  const SmoothStepOptions sharp = sharp_steps(s, from.gradient_scale),
                          fine = fine_steps(s, from.gradient_scale);
  SmoothSteps steps = from.steps;
  std::optional<Held> out;
  Vector offset = from.offset, margin = Vector::Zero(offset.size());
  const Vector unknown = Vector::Constant(offset.size(), infinity);
  Vector loose = unknown,
         tight = unknown;  // offsets of a row with counts beyond its bound, and well inside it
  for (int k = 0;; ++k) {
    if (excess_at(s, steps.x()) == 0 && !steps.take(s.smoothed(from.slopes, offset), sharp)) return out;
    const Vector scores = s.scorer().scores(steps.x());
    const Vector selected = s.cells.selected(scores), counts = s.counted(scores);
    const double worst = largest_excess(s.rows, s.cells, selected);
    s.telling.row(steps, s.smoothed(from.slopes, offset), worst);
    if (worst == 0) {
      const double accuracy = accuracy_of(scores, s.problem.training().data);
      if (!out || accuracy > out->accuracy) out = Held{steps, offset, accuracy, k};
      if (at_bounds(s, counts, steps.multipliers())) return out;
    }
    if (k >= (out ? enough_drawn_in : most_drawn_in) || s.interrupted()) return out;
    const Vector added = s.added(from.slopes, scores);
    for (std::size_t r = 0; r < s.rows.size(); ++r) {
      const RateRow& row = s.rows[r];
      const auto at = static_cast<Index>(r);
      const double beyond = excess(row, s.cells, selected);
      if (beyond > 0) {
        const double more = beyond + 0.5 * a_person(s, row);
        margin[at] += counts[at] > row.upper ? more : -more;
        // Bounds that have no room left hold nowhere but by chance.
        if (std::abs(margin[at]) > 0.5 * (row.upper - row.lower)) return out;
      }
      if (steps.multipliers()[at] != 0) (beyond > 0 ? loose : tight)[at] = offset[at];
      const bool between = is_finite(loose[at]) && is_finite(tight[at]);
      offset[at] = between ? 0.5 * (loose[at] + tight[at]) : added[at] - margin[at];
    }
    if (!steps.take(s.smoothed(from.slopes, offset), fine)) return out;
  }
}

bool same_for_everybody(const RateSetting& s, const Vector& w) {
  const Vector scores = s.scorer().scores(w);
  const auto selected = (scores.array() > 0).count();
  return selected == 0 || selected == scores.size();
}

}  // namespace

namespace {

// What is told of a model, from its weights.
void take_figures(const RateSetting& s, TrainedRates& out) {
  const Vector scores = s.scorer().scores(out.w);
  RateCandidate& f = out.figures;
  f.accuracy = accuracy_of(scores, s.problem.training().data);
  f.gap = largest_gap(s, scores);
  f.gap_before_walk = largest_gap(s, s.scorer().scores(out.steps.x()));
  f.reached = out.excess == 0;
  f.walked = out.w != out.steps.x();
  f.stationary = out.converged && !f.walked;
  f.error = out.steps.error();
}

}  // namespace

TrainedRates train_rates(const RateSetting& s, const RateStart& start, double width, std::size_t number) {
  TrainedRates out{.number = number, .steps = start.steps, .gradient_scale = start.gradient_scale};
  s.telling.begin(fmt::format("model {}", number), start.seed, start.steps);
  follow_scores(s, width, out);
  Walk walk = walk_to_bounds(s.cells, s.rows, s.scorer(), out.steps.x(), width);
  out.w = std::move(walk.w);
  out.excess = walk.excess;
  out.directions = walk.directions;
  out.distance = walk.distance;
  out.figures.width = width;
  out.figures.seed = start.seed;
  out.figures.steps = out.steps.steps() - start.steps.steps();
  out.figures.hessians = out.steps.hessians() - start.steps.hessians();
  take_figures(s, out);
  return out;
}

bool better(const RateSetting& s, const TrainedRates& a, const TrainedRates& b) {
  if (a.figures.reached != b.figures.reached) return a.figures.reached;
  if (!a.figures.reached) return a.excess < b.excess;
  const bool a_same = same_for_everybody(s, a.w), b_same = same_for_everybody(s, b.w);
  if (a_same != b_same) return b_same;
  return a.figures.accuracy > b.figures.accuracy;
}

bool settle(const RateSetting& s, TrainedRates& model, double least) {
  if (!model.converged) return false;
  s.telling.begin(fmt::format("model {} drawn in", model.number), model.figures.seed, model.steps);
  std::optional<Held> held = draw_in(s, model);
  const double chance = std::sqrt(least * (1 - least) / static_cast<double>(s.scorer().people()));
  if (!held || held->accuracy < least - chance || same_for_everybody(s, held->steps.x())) return false;
  model.distance = (held->steps.x() - model.steps.x()).norm();
  model.figures.steps += held->steps.steps() - model.steps.steps();
  model.figures.hessians += held->steps.hessians() - model.steps.hessians();
  model.steps = std::move(held->steps);
  model.offset = std::move(held->offset);
  model.drawn_in = held->drawn_in;
  model.w = model.steps.x();
  model.excess = 0;
  model.directions = 0;
  take_figures(s, model);
  return true;
}

}  // namespace bridle
