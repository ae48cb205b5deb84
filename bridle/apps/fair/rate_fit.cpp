#include "bridle/apps/fair/rate_fit.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "bridle/apps/fair/flips.hpp"
#include "bridle/apps/fair/metrics.hpp"
#include "bridle/apps/fair/normal_quantile.hpp"
#include "bridle/apps/fair/smooth_steps.hpp"
#include "bridle/certify/certify.hpp"
#include "bridle/run/budget.hpp"

namespace bridle {
namespace {

constexpr int most_starts = 5;
constexpr double people_per_start = 10'000;  // fewer people, more starts
constexpr int most_rounds = 8;               // of slopes and offsets
constexpr int hessians_per_round = 4, hessians_of_last_round = 20;
// Of the bounds, in the first round: a loose bound can be met by selecting nearly nobody, and a convex loss
// likes that.
constexpr double first_share = 0.3;
constexpr double own_over_judge = 0.1;  // tolerances: the steps' own figure is not the judge's
constexpr double first_tolerance = 1e-2;
constexpr double damping = 0.5;  // of the offset, from the third round on
constexpr double settled = 0.1;  // of a row's unit: change of an offset that starts no further round

// What all candidates share.
struct Setting {
  const FairProblem& problem;
  const LinearScorer& scorer;
  const Cells& cells;
  const std::vector<RateRow>& rows;
  const SolveOptions& options;
  double gradient_scale = 1;
  std::function<bool()> interrupted;
  // After every round, with the rows' worst excess in counts.
  std::function<void(const SmoothSteps&, double beyond)> tell;

  std::function<double(const Vector&)> output_change() const {
    return [this](const Vector& d) {
      return scorer.scores(d).norm() / std::sqrt(static_cast<double>(scorer.people()));
    };
  }
};

struct Trained {
  RateCandidate figures;
  Walk walk;
  Vector before;  // the walk
  Slopes slopes;  // of the last round
  Vector offset;
  Vector multipliers;  // of the smoothed rows
};

Vector actual_values(const Setting& s, const Vector& scores) {
  return values_of(s.rows, rates_of(s.cells, s.cells.selected(scores)));
}

// With this share of the bounds.
Problem smoothed_problem(const Setting& s, const Slopes& slopes, const Vector& offset, double share = 1) {
  Problem out = s.problem.without_bounds();
  const SmoothedRateRows rows(s.cells, s.rows, s.scorer, slopes, offset);
  out.subject_to_smooth(rows, share * rows.lower(), share * rows.upper());
  return out;
}

// The origin for seed 1 and few people. Else one pass of the loop with the rows around w = 0, which are
// differences of group means: it saves steps on large data, and picks other basins.
Vector start_of(const Setting& s, std::uint64_t seed, Result& result) {
  const Vector origin = Vector::Zero(s.scorer.weights());
  if (seed == 1 && static_cast<double>(s.scorer.people()) < people_per_start) return origin;
  const Slopes ones = Vector::Ones(static_cast<Index>(s.cells.size()));
  const Problem smooth = smoothed_problem(s, ones, Vector::Zero(static_cast<Index>(s.rows.size())));
  SolveOptions options = s.options;
  options.epochs = 1;
  options.seed = seed;
  options.second_order = options.finish = false;
  Nobody silent;
  const Result first = solve(smooth.linearised(origin, smooth.smooth_rows().at(origin)), options, &silent);
  result.samples += first.samples;
  result.iterations += first.iterations;
  return first.x;
}

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

double largest_gap(const Setting& s, const Vector& scores) {
  return actual_values(s, scores).lpNorm<Eigen::Infinity>();
}

// The first round from the origin, where rows do not depend on the width.
SmoothSteps first_round(const Setting& s, const Vector& start) {
  SmoothSteps out(start, static_cast<Index>(s.rows.size()));
  if (!start.isZero(0)) return out;
  const Slopes ones = Vector::Ones(static_cast<Index>(s.cells.size()));
  out.take(smoothed_problem(s, ones, Vector::Zero(static_cast<Index>(s.rows.size()))),
           {.tolerance = first_tolerance,
            .scale = s.gradient_scale,
            .most_hessians = hessians_per_round,
            .output_change = s.output_change(),
            .stop = s.interrupted});
  return out;
}

Trained train(const Setting& s, SmoothSteps steps, double width, std::uint64_t seed) {
  Trained out;
  bool converged = false;
  for (int round = 0; round < most_rounds && !s.interrupted(); ++round) {
    const Vector scores = s.scorer.scores(steps.x());
    out.slopes = slopes_of(s.cells, scores, width);
    const Vector added =
        values_of(s.rows, smoothed_rates(s.cells, out.slopes, scores)) - actual_values(s, scores);
    const Vector change = round < 2 ? added : Vector(out.offset + damping * (added - out.offset));
    double moved = round < 2 ? infinity : 0;
    for (Index r = 0; round >= 2 && r < change.size(); ++r)
      moved = std::max(moved, std::abs(change[r] - out.offset[r]) / s.rows[static_cast<std::size_t>(r)].unit);
    if (converged && moved < settled) break;
    out.offset = change;
    const bool last = moved < settled || round + 1 == most_rounds;
    converged =
        steps.take(smoothed_problem(s, out.slopes, out.offset, round == 0 ? first_share : 1),
                   {.tolerance = last ? own_over_judge * std::min(s.options.tolerance, sharp_tolerance)
                                      : first_tolerance,
                    .scale = s.gradient_scale,
                    .most_hessians = last ? hessians_of_last_round : hessians_per_round,
                    .output_change = s.output_change(),
                    .stop = s.interrupted}) &&
        last;
    s.tell(steps, largest_excess(s.rows, s.cells, s.cells.selected(s.scorer.scores(steps.x()))));
    if (last) break;
  }
  out.before = steps.x();
  out.multipliers = steps.multipliers();
  out.walk = walk_to_bounds(s.cells, s.rows, s.scorer, out.before, width);
  const Vector after = s.scorer.scores(out.walk.w);
  out.figures = {.width = width,
                 .seed = seed,
                 .accuracy = accuracy_of(after, s.problem.training().data),
                 .gap = largest_gap(s, after),
                 .gap_before_walk = largest_gap(s, s.scorer.scores(out.before)),
                 .reached = out.walk.excess == 0,
                 .error = steps.error(),
                 .hessians = steps.hessians()};
  return out;
}

bool same_for_everybody(const Setting& s, const Vector& w) {
  const Vector scores = s.scorer.scores(w);
  const auto selected = (scores.array() > 0).count();
  return selected == 0 || selected == scores.size();
}

// Within the bounds, then telling people apart, then right more often.
bool better(const Setting& s, const Trained& a, const Trained& b) {
  if (a.figures.reached != b.figures.reached) return a.figures.reached;
  if (!a.figures.reached) return a.walk.excess < b.walk.excess;
  const bool a_same = same_for_everybody(s, a.walk.w), b_same = same_for_everybody(s, b.walk.w);
  if (a_same != b_same) return b_same;
  return a.figures.accuracy > b.figures.accuracy;
}

// With a confidence every row gets a margin: the deviation of its difference between training and fresh data,
// at the rate of selection that the labels have, times the normal quantile for all rows together.
void tighten(std::vector<RateRow>& rows, const Cells& cells, const Cells* fresh, double base_rate,
             double confidence) {
  const double each = (1 - confidence) / static_cast<double>(rows.size());
  const double quantile = normal_quantile(1 - each), variance = base_rate * (1 - base_rate);
  for (auto& row : rows) {
    double sum = 0;
    for (const std::size_t cell : {row.first, row.second}) {
      const double factor = cell == row.first ? row.first_factor : row.second_factor;
      const auto here = static_cast<double>(cells[cell].people);
      const double there = fresh ? static_cast<double>((*fresh)[cell].people) : here;
      sum += factor * factor * (1 / here + (there > 0 ? 1 / there : 0));
    }
    const double margin = quantile * std::sqrt(variance * sum);
    row.upper -= margin;
    row.lower += margin;
    if (row.lower > row.upper) row.lower = row.upper = 0.5 * (row.lower + row.upper);
  }
}

Status status_of(const RateFigures& figures, double tolerance, bool interrupted) {
  if (interrupted) return Status::interrupted;
  return figures.reached && figures.smoothed.holds(tolerance) ? Status::stationary : Status::budget_exhausted;
}

}  // namespace

std::string RateStatement::text() const {
  const char* what = measure == Measure::demographic_parity    ? "selection rates"
                     : measure == Measure::equal_opportunity   ? "true positive rates"
                     : measure == Measure::predictive_equality ? "false positive rates"
                                                               : "true and false positive rates";
  std::string out = ratio ? fmt::format("{}: the lowest at least {:g} of the highest", what, *ratio)
                          : fmt::format("{} within {:g} of each other", what, gap);
  if (confidence > 0) out += fmt::format(", on fresh data with probability {:g}", confidence);
  return out;
}

double CellFigures::standard_error() const {
  return people > 0 ? std::sqrt(rate() * (1 - rate()) / static_cast<double>(people)) : 0;
}

RateSpread spread_of(const Cells& cells, const FairData& data, const Vector& scores) {
  const Vector selected = cells.selected(scores);
  RateSpread out;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const Attribute& attribute = data.attributes[cells[c].attribute];
    out.cells.push_back({attribute.name, attribute.groups[static_cast<std::size_t>(cells[c].group)],
                         cells[c].label, cells[c].people,
                         static_cast<Index>(selected[static_cast<Index>(c)])});
  }
  for (std::size_t a = 0; a < cells.size(); ++a)
    for (std::size_t b = 0; b < cells.size(); ++b) {
      const CellFigures &high = out.cells[a], &low = out.cells[b];
      if (a == b || cells[a].attribute != cells[b].attribute || cells[a].label != cells[b].label) continue;
      if (high.people == 0 || low.people == 0 || high.rate() < low.rate()) continue;
      if (high.rate() > 0) out.ratio = std::min(out.ratio, low.rate() / high.rate());
      if (high.rate() - low.rate() < out.gap) continue;
      out.gap = high.rate() - low.rate();
      out.standard_error = std::hypot(high.standard_error(), low.standard_error());
    }
  return out;
}

RateFit fit_rates(const FairProblem& problem, const FairData* test, const RateStatement& request,
                  const SolveOptions& options, Observer* observer) {
  const Stopwatch watch;
  const FairData& data = problem.training().data;
  const LinearScorer scorer(problem.model().features());
  const Cells cells(data, request.measure, request.smallest_group);
  std::vector<RateRow> rows =
      request.ratio ? ratio_rows(cells, *request.ratio) : gap_rows(cells, request.gap);
  RateFit out;
  RateFigures& figures = out.figures;
  figures.request = request;
  figures.left_out = cells.left_out();
  if (request.confidence > 0) {
    std::optional<Cells> fresh;
    if (test) fresh = cells.over(*test);
    const double base_rate = (data.labels.array() > 0).cast<double>().mean();
    tighten(rows, cells, fresh ? &*fresh : nullptr, base_rate, request.confidence);
  }
  figures.tightest = infinity;
  for (const auto& row : rows) figures.tightest = std::min(figures.tightest, row.upper);

  SolveOptions used = options;
  if (used.tolerance == unsaid) used.tolerance = ordinary_tolerance;
  Result& result = out.result;
  const auto people = static_cast<double>(scorer.people());
  const auto tell = [&](const SmoothSteps& steps, double beyond) {
    Progress progress;
    progress.iterations = static_cast<std::uint64_t>(steps.hessians());
    progress.samples = progress.budget = people * (static_cast<double>(steps.hessians()) + 1);
    progress.objective = problem.objective().mean_value(steps.x()).value_or(std::nan(""));
    progress.feasibility = beyond;
    progress.seconds = watch.seconds();
    if (observer) observer->progress(progress);
  };
  Setting setting{problem, scorer, cells, rows, used, 1, [&] { return observer && observer->interrupted(); },
                  tell};
  Vector gradient(scorer.weights());
  problem.objective().mean_gradient(Vector::Zero(scorer.weights()), gradient);
  setting.gradient_scale = std::max(gradient.lpNorm<Eigen::Infinity>(), 1e-12);

  std::optional<Trained> best;
  const int starts =
      request.starts > 0
          ? request.starts
          : static_cast<int>(std::clamp(people_per_start / static_cast<double>(scorer.people()), 1.0,
                                        static_cast<double>(most_starts)));
  if (observer)
    observer->started(
        {.budget = people, .algorithm = "smooth rows", .regime = "bounds on rates", .resumed = false});
  for (int k = 0; k < starts && !(best && setting.interrupted()); ++k) {
    const std::uint64_t seed = options.seed + static_cast<std::uint64_t>(k);
    const SmoothSteps start = first_round(setting, start_of(setting, seed, result));
    for (const double width : request.widths) {
      Trained one = train(setting, start, width, seed);
      figures.tried.push_back(one.figures);
      if (!best || better(setting, one, *best)) best = std::move(one);
    }
  }
  result.solve_seconds = watch.seconds();

  const Vector scores = scorer.scores(best->walk.w);
  figures.reached = best->figures.reached;
  figures.width = best->figures.width;
  figures.train = spread_of(cells, data, scores);
  figures.before_walk = spread_of(cells, data, scorer.scores(best->before));
  if (test)
    figures.test = spread_of(cells.over(*test), *test, LinearScorer(test->features).scores(best->walk.w));
  figures.directions = best->walk.directions;
  figures.distance = best->walk.distance;
  const CertifyOptions how{.improve_multipliers = true, .absolute = options.absolute};
  figures.smoothed =
      certify(smoothed_problem(setting, best->slopes, best->offset), best->before, best->multipliers, how);
  const Vector offset_there =
      values_of(rows, smoothed_rates(cells, best->slopes, scores)) - actual_values(setting, scores);
  const Problem there = smoothed_problem(setting, best->slopes, offset_there);
  figures.after_walk = certify(there, best->walk.w, best->multipliers, how);
  const auto smooth_rows = static_cast<Index>(rows.size());
  figures.price = figures.smoothed.multipliers.tail(smooth_rows).lpNorm<1>();
  result.x = best->walk.w;
  result.y = figures.after_walk.multipliers;
  result.certificate = figures.after_walk;
  result.tolerance = used.tolerance;
  result.status = status_of(figures, used.tolerance, setting.interrupted());
  result.row_names = there.row_names();
  result.variable_names = there.variable_names();
  result.algorithm = "smooth rows";
  result.parameter_source = to_string(ParameterSource::automatic);
  result.found_by = FoundBy::second_order;
  result.second_order.ran = true;
  result.second_order.ended = "after the closing walk";
  for (const auto& one : figures.tried) {
    result.second_order.hessians += one.hessians;
    result.second_order.iterations += one.hessians;
    result.samples += one.hessians * people;
  }
  result.seed = options.seed;
  result.certify_seconds = watch.seconds() - result.solve_seconds;
  return out;
}

}  // namespace bridle
