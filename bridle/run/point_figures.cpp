#include "bridle/run/point_figures.hpp"

#include <algorithm>
#include <cmath>

#include "bridle/oracle/draws.hpp"
#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/run/drawn_objective.hpp"

namespace bridle {
namespace {

constexpr double few_numbers = 1e5;    // that a row may read in any case
constexpr double share_of_row = 0.1;   // of the loop's work between two rows, that measuring f may take
constexpr double step_over_value = 4;  // time of a step of the loop, over that of one value in a pass
constexpr double values_of_row = 5;    // in steps: a drawn sample's here, and those of the difference
constexpr int groups = 8;              // of a batch: their spread tells the standard error
constexpr Index fewest_samples = 64;
constexpr double judged_numbers = 2e6;  // that the judge reads for a row
constexpr Index least_judged = 500;
constexpr Index most_fitted_rows = 200;  // beyond these the method's own multipliers are judged

double numbers_of(const AnyObjective& objective) {
  if (const LinearModel* model = objective.as_linear_model()) return model->entries();
  const Index count = objective.sample_count() == endless ? 1 : objective.sample_count();
  return static_cast<double>(count) * static_cast<double>(objective.dimension());
}

}  // namespace

PointFigures::PointFigures(const RunProblem& problem, const SolveOptions& options)
    : problem_(problem), options_(options), numbers_(numbers_of(problem.user.objective())) {}

PointFigures::Estimate PointFigures::estimate(const Vector& x, const Vector* from, Index samples) {
  const AnyObjective& f = problem_.user.objective();
  const Stream stream(options_.seed, Purpose::certificate);
  std::vector<Sample> group(static_cast<std::size_t>((samples + groups - 1) / groups));
  Vector means(groups);
  for (int g = 0; g < groups; ++g) {
    for (auto& sample : group) sample = drawn_sample(f, stream, drawn_++, 2);
    means[g] = f.batch_value(x, group).value_or(std::nan(""));
    if (from) means[g] -= f.batch_value(*from, group).value_or(std::nan(""));
  }
  const double mean = means.mean();
  return {mean, std::sqrt((means.array() - mean).square().sum() / (groups * (groups - 1)))};
}

void PointFigures::measure_objective(const Vector& x, double samples_of_a_row,
                                     const std::optional<JudgedPoint>& known, Progress& out) {
  const AnyObjective& f = problem_.user.objective();
  const Index count = f.sample_count();
  const double affordable = share_of_row * step_over_value * samples_of_a_row;
  const bool whole =
      count == 1 || (count == endless && f.mean_value(x)) ||
      (count != endless && (numbers_ <= few_numbers || static_cast<double>(count) <= affordable));
  out.objective_error = 0;
  if (whole || !f.has_value()) {
    out.objective = f.has_value() ? f.mean_value(x).value_or(std::nan("")) : std::nan("");
    return;
  }
  const double drawn = share_of_row * samples_of_a_row / values_of_row;
  Index samples = std::max(fewest_samples, static_cast<Index>(std::min(drawn, 1e5)));
  if (count != endless) samples = std::min(samples, count);
  // From all samples of a finite sum; a stream's own figure is an estimate itself.
  const bool exact = known && known->certificate.exact && std::isfinite(known->certificate.objective);
  const Estimate alone = estimate(x, nullptr, samples);
  out.objective = alone.value;
  out.objective_error = alone.standard_error;
  if (!exact) return;
  const Estimate apart = estimate(x, &known->x, samples);
  if (!(apart.standard_error < alone.standard_error)) return;
  out.objective = known->certificate.objective + apart.value;
  out.objective_error = apart.standard_error;
}

const Judge& PointFigures::judge_of_rows() {
  if (judge_) return *judge_;
  const AnyObjective& f = problem_.user.objective();
  const Index count = f.sample_count();
  CertifyOptions how{
      .improve_multipliers = options_.refit_multipliers && problem_.user.row_count() <= most_fitted_rows,
      .absolute = options_.absolute,
      .seed = options_.seed + 2'000'003};
  // Of a drawn sample the judge looks at every variable, to know how much the mean is to be trusted; of all
  // samples at the numbers that there are.
  const double each = std::max(1.0, static_cast<double>(f.dimension()));
  how.batch = std::max(least_judged, static_cast<Index>(judged_numbers / each));
  const bool part =
      count > how.batch && numbers_ > each * static_cast<double>(how.batch) && !f.spread_over_processes();
  if (part) sampled_ = problem_.user.with_objective(drawn_from(f, how.batch, how.seed));
  return judge_.emplace(part ? *sampled_ : problem_.user, how);
}

void PointFigures::judge(const Vector& x, const Vector& multipliers, Progress& out) {
  const Certificate c = judge_of_rows()(x, multipliers);
  out.stationarity = c.stationarity.absolute;
  out.error = c.error();
}

}  // namespace bridle
