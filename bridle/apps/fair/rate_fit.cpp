#include "bridle/apps/fair/rate_fit.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bridle/apps/fair/confidence.hpp"
#include "bridle/apps/fair/judged_from.hpp"
#include "bridle/apps/fair/rate_training.hpp"
#include "bridle/core/formatted.hpp"
#include "bridle/run/rounds.hpp"

namespace bridle {
namespace {

constexpr double network_width = 0.8;

std::vector<RateRow> rows_asked_for(const Cells& cells, const FairData& data, const FairData* test,
                                    const RateStatement& request, std::size_t& without_room) {
  std::vector<RateRow> rows =
      request.ratio ? ratio_rows(cells, *request.ratio) : gap_rows(cells, request.gap);
  if (request.confidence == 0) return rows;
  std::optional<Cells> fresh;
  if (test) fresh = cells.over(*test);
  const double base_rate = (data.labels.array() > 0).cast<double>().mean();
  without_room = tighten(rows, cells, fresh ? &*fresh : nullptr, base_rate, request.confidence,
                         request.optimism.value_or(0));
  return rows;
}

int starts_of(const FairProblem& problem, const RateStatement& request) {
  return request.starts > 0 ? request.starts : starts_for(problem);
}

std::vector<double> widths_of(const FairProblem& problem, const RateStatement& request) {
  // A network of many people takes long: one width.
  const bool one = problem.network() && static_cast<double>(problem.features().rows()) >= people_per_start;
  return one ? std::vector<double>{network_width} : request.widths;
}

// Models of all starts and widths.
std::vector<TrainedRates> train_all(const RateSetting& s, const RateStatement& request, Result& result) {
  const auto people = static_cast<double>(s.scorer().people());
  const int starts = starts_of(s.problem, request);
  const std::vector<double> widths = widths_of(s.problem, request);
  std::vector<TrainedRates> out;
  for (int k = 0; k < starts && (out.empty() || !s.interrupted()); ++k) {
    const RateStart start = rate_start(s, k);
    result.samples += start.samples + start.steps.steps() * people;
    s.telling.spend(start.steps.steps(), start.samples);
    result.phases[Phase::start].sample_gradients += start.samples;
    result.second_order.hessians += start.steps.hessians();
    result.second_order.iterations += start.steps.steps();
    for (const double width : widths) out.push_back(train_rates(s, start, width, out.size() + 1));
  }
  return out;
}

// The best of them. Of those that are less accurate by no more than a standard error the first one that
// settles at a stationary point is taken.
std::size_t choose_model(const RateSetting& s, std::vector<TrainedRates>& models) {
  std::vector<std::size_t> order(models.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return better(s, models[a], models[b]); });
  const TrainedRates& best = models[order.front()];
  const double accuracy = best.figures.accuracy;
  const double chance = std::sqrt(accuracy * (1 - accuracy) / static_cast<double>(s.scorer().people()));
  if (best.figures.reached)
    for (const std::size_t k : order)
      if (models[k].figures.reached && models[k].figures.accuracy >= accuracy - chance &&
          settle(s, models[k], accuracy))
        return k;
  return order.front();
}

// The smoothed problem at the weights returned and, after a walk, where it began.
void judge(const RateSetting& s, const TrainedRates& best, bool absolute, RateFigures& figures) {
  const CertifyOptions how{.improve_multipliers = true, .absolute = absolute};
  const auto verdict = [&](const Vector& offset, const Vector& w) {
    const Problem problem = s.smoothed(best.slopes, offset);
    if (!s.problem.network()) return certify(problem, w, best.steps.multipliers(), how);
    return judged_from(first_weights(s.problem, best.figures.seed), problem, w, best.steps.multipliers(),
                       how);
  };
  figures.smoothed = figures.after_walk = verdict(best.offset, best.steps.x());
  figures.price = figures.smoothed.multipliers.lpNorm<1>();
  if (!best.figures.walked) return;
  const Vector scores = s.scorer().scores(best.w);
  figures.after_walk =
      verdict(values_of(s.rows, smoothed_rates(s.cells, best.slopes, scores)) - s.counted(scores), best.w);
}

void count(const RateSetting& s, const FairData* test, const TrainedRates& best, RateFigures& figures) {
  const FairData& data = s.problem.training().data;
  figures.reached = best.figures.reached;
  const RateStatement& asked = figures.request;
  const auto rows = asked.ratio ? ratio_rows(s.cells, *asked.ratio) : gap_rows(s.cells, asked.gap);
  figures.asked_holds = largest_excess(rows, s.cells, s.cells.selected(s.scorer().scores(best.w))) == 0;
  figures.width = best.figures.width;
  figures.drawn_in = best.drawn_in;
  figures.directions = best.directions;
  figures.distance = best.distance;
  figures.train = spread_of(s.cells, data, s.scorer().scores(best.w));
  figures.before_walk = spread_of(s.cells, data, s.scorer().scores(best.steps.x()));
  if (test) figures.test = spread_of(s.cells.over(*test), *test, s.problem.scores(test->features, best.w));
}

// Why no model was certified, and what to do about it.
std::string advice_on(const RateFigures& figures, const Certificate& certificate) {
  const char* const looser = figures.request.ratio ? "a smaller ratio" : "a wider gap";
  if (figures.reached)
    return formatted("the decisions are within the bound, but %s: %s, or more starts, may do both",
                     figures.directions > 0 ? "only a closing walk led there, and the weights are not at rest"
                                            : "the steps ended before the weights were at rest",
                     looser) +
           tolerance_met_by(certificate);
  Index fewest = 0;
  for (const auto& cell : figures.train.cells)
    if (cell.people > 0 && (fewest == 0 || cell.people < fewest)) fewest = cell.people;
  std::string out = formatted("none of %zu models has decisions within the bound", figures.tried.size());
  if (const double one = 1 / static_cast<double>(std::max<Index>(1, fewest));
      !figures.request.ratio && figures.tightest < one)
    out += formatted(
        "; one decision more is %.2g of the rate of the smallest group (%td people), and rates come nearer "
        "to each other than that by luck only",
        one, fewest);
  return out + ": " + looser + " helps, or more starts";
}

}  // namespace

RateFit fit_rates(const FairProblem& problem, const FairData* test, const RateStatement& request,
                  const SolveOptions& options, Observer* observer) {
  if (request.confidence > 0 && !request.optimism) {
    RateStatement known = request;
    known.optimism = measure_optimism(problem, test, request, options, observer);
    return fit_rates(problem, test, known, options, observer);
  }
  const Cells cells(problem.training().data, request.measure, request.smallest_group);
  RateFit out;
  RateFigures& figures = out.figures;
  const std::vector<RateRow> rows =
      rows_asked_for(cells, problem.training().data, test, request, figures.without_room);
  figures.bounds = rows.size();
  Result& result = out.result;
  figures.request = request;
  figures.left_out = cells.left_out();
  figures.empty = cells.empty();
  figures.optimism = request.optimism.value_or(0);
  figures.tightest = infinity;
  for (const auto& row : rows) figures.tightest = std::min(figures.tightest, row.upper);

  SolveOptions used = options;
  if (used.tolerance == unsaid) used.tolerance = ordinary_tolerance;
  const auto people = static_cast<double>(problem.features().rows());
  const auto count_of_models =
      starts_of(problem, request) * static_cast<int>(widths_of(problem, request).size());
  Telling telling(observer, problem, count_of_models, options.absolute);
  const RateSetting setting{problem, cells,
                            rows,    StepPlan::of(problem, used.tolerance),
                            used,    [&] { return telling.interrupted(); },
                            telling};
  if (observer)
    observer->started({.algorithm = "smooth rows", .regime = "bounds on rates", .resumed = false});
  std::vector<TrainedRates> models = train_all(setting, request, result);
  const TrainedRates& best = models[choose_model(setting, models)];
  for (const auto& one : models) {
    figures.tried.push_back(one.figures);
    result.second_order.hessians += one.figures.hessians;
    result.second_order.iterations += one.figures.steps;
    result.samples += one.figures.steps * people;
  }
  const double working = telling.seconds();
  count(setting, test, best, figures);
  judge(setting, best, options.absolute, figures);

  const Problem stated = setting.smoothed(best.slopes, best.offset);
  result.x = best.w;
  result.y = figures.after_walk.multipliers;
  result.certificate = figures.after_walk;
  result.tolerance = used.tolerance;
  // The judge's word on the weights returned, and the count's.
  result.status = setting.interrupted()                                         ? Status::interrupted
                  : figures.reached && result.certificate.holds(used.tolerance) ? Status::stationary
                                                                                : Status::budget_exhausted;
  describe_fit(result, stated, options.seed,
               {working, telling.seconds() - working, best.figures.walked ? 2 : 1});
  if (result.status == Status::budget_exhausted) result.advice = advice_on(figures, result.certificate);
  result.second_order.ended = best.figures.walked ? "after the closing walk" : "the counts hold";
  telling.result(result, best.excess);
  return out;
}

}  // namespace bridle
