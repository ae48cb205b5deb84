#include "bridle/run/outlook.hpp"

#include <algorithm>

#include "bridle/core/sampling.hpp"
#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/run/budget.hpp"

namespace bridle {
namespace {

// In passes over the samples, by one thread, as a short timing finds them: counting of columns, and a first
// visit of every sample by the loop, which gets it ready as it draws it. 1 GB of sparse rows, 0.25 s a pass:
// 0.1 s and 2.1 s. On a machine that gets busier the loop does not come to visit all of its share, which
// costs it nothing; on one that was busy for all of the timing the share is seen several times where more
// samples could have been.
constexpr double passes_to_count = 1, passes_of_an_epoch = 9;
// The judge's first look with what he asks once, and the closing after it.
constexpr double passes_of_a_verdict = 3, passes_of_the_closing = 10;
constexpr double closing_share = 0.3, quick_verdict = 0.1;  // of the limit, that the closing may take
constexpr double bearable_verdict = 0.3;                    // of the time left
constexpr double smallest_share = 1000;

}  // namespace

Outlook outlook(const Problem& problem, const SolveOptions& options, bool own_parameters, double spent) {
  const LinearModel* model = problem.objective().as_linear_model();
  if (options.seconds == 0 || !model || model->spread_over_processes() || options.output != Output::best)
    return {};
  const double left = options.seconds - options.seconds_used - spent;
  const double pass = seconds_of_a_pass(problem, options);
  const double closing = std::min(passes_of_the_closing * pass, closing_share * options.seconds);
  const double whole = (passes_to_count + passes_of_an_epoch) * pass;
  // Second-order steps on a convex sum need no loop, and nothing is packed for it.
  const auto steps = own_parameters ? SecondOrder::expected_seconds(problem, options) : std::nullopt;
  const double needed = steps ? *steps + (model->convex() ? passes_to_count * pass : whole) : whole;
  if (left - closing >= std::min(needed, whole)) return {};
  const bool quick_judge = passes_of_a_verdict * pass > bearable_verdict * left;
  const double bears =
      (left - (quick_judge ? std::min(quick_verdict * options.seconds, 0.5 * left) : closing)) / whole;
  const auto count = static_cast<double>(model->sample_count());
  if (count <= smallest_share || bears >= 1) return {0, quick_judge};
  return {static_cast<Index>(std::max(smallest_share, bears * count)), quick_judge};
}

Problem share_of(const Problem& problem, Index samples, std::uint64_t seed) {
  const LinearModel& model = *problem.objective().as_linear_model();
  const KeyedPermutation order(static_cast<std::uint64_t>(model.sample_count()), seed);
  std::vector<Index> rows(static_cast<std::size_t>(samples));
  for (std::size_t k = 0; k < rows.size(); ++k) rows[k] = static_cast<Index>(order(k));
  std::sort(rows.begin(), rows.end());  // memory is read in order
  return problem.with_objective(model.part(rows));
}

}  // namespace bridle
