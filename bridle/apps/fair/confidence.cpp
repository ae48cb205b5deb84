#include "bridle/apps/fair/confidence.hpp"

#include <algorithm>
#include <cmath>

#include "bridle/apps/fair/folds.hpp"
#include "bridle/apps/fair/normal_quantile.hpp"
#include "bridle/apps/fair/smoothed_rates.hpp"

namespace bridle {
namespace {

// Says nothing, and hears of interrupts.
class OnlyInterrupts final : public Observer {
 public:
  explicit OnlyInterrupts(Observer* next) : next_(next) {}
  Wants wants() override { return Wants::nothing; }
  bool interrupted() override { return next_ && next_->interrupted(); }

 private:
  Observer* next_;
};

}  // namespace

std::size_t tighten(std::vector<RateRow>& rows, const Cells& cells, const Cells* fresh, double base_rate,
                    double confidence, double optimism) {
  std::size_t without_room = 0;
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
    const double margin = quantile * std::sqrt(variance * sum) + optimism;
    row.upper -= margin;
    row.lower += margin;
    if (!(row.lower > row.upper)) continue;
    row.lower = row.upper = 0.5 * (row.lower + row.upper);
    ++without_room;
  }
  return without_room;
}

double measure_optimism(const FairProblem& problem, const FairData* test, const RateStatement& request,
                        const SolveOptions& options, Observer* observer) {
  constexpr int folds = 5;
  constexpr double near_bound = 0.25;  // of a row's unit
  RateStatement plain = request;
  plain.optimism = 0;
  plain.starts = 1;
  OnlyInterrupts listener(observer);
  const TrainingData& all = problem.training();
  const RateFit whole = fit_rates(problem, test, plain, options, &listener);
  const Vector seen = problem.scorer().scores(whole.result.x);
  Vector unseen = seen;
  DataStatement data;
  data.conditions = problem.conditions();
  for (int k = 0; k < folds && !listener.interrupted(); ++k) {
    const Split split = fold_of(seen.size(), k, folds, options.seed);
    const FairProblem part(
        {part_of(all.data, problem.features(), split.train), all.encoding, all.target, all.fills}, data,
        problem.statement());
    const FairData held_out = part_of(all.data, problem.features(), split.held_out);
    const RateFit fit = fit_rates(part, test, plain, options, &listener);
    unseen(split.held_out) = problem.scores(held_out.features, fit.result.x);
  }
  const Cells cells(all.data, request.measure, request.smallest_group);
  const auto rows = request.ratio ? ratio_rows(cells, *request.ratio) : gap_rows(cells, request.gap);
  const Vector before = values_of(rows, rates_of(cells, cells.selected(seen)));
  const Vector after = values_of(rows, rates_of(cells, cells.selected(unseen)));
  double out = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto at = static_cast<Index>(r);
    const double margin = near_bound * rows[r].unit + rows[r].upper - whole.figures.tightest;
    if (before[at] > rows[r].upper - margin) out = std::max(out, after[at] - before[at]);
    if (before[at] < rows[r].lower + margin) out = std::max(out, before[at] - after[at]);
  }
  return out;
}

}  // namespace bridle
