#include "bridle/run/worker_count.hpp"

#include <algorithm>
#include <string>

#include "bridle/core/error.hpp"
#include "bridle/problem/objectives/linear_model.hpp"

namespace bridle {
namespace {

// A share must be worth a thread (numbers in it, some hundredths of a second an epoch) and say something
// about every variable (samples for each).
constexpr double least_entries = 5e6, least_samples_per_variable = 4;
constexpr Index most_chosen = 8;

// Where nobody said anything about the loop, and its samples are known to be cheap.
bool is_open(const SolveOptions& options, const AlgorithmDescription& algorithm) {
  return options.source == ParameterSource::automatic && options.output == Output::best &&
         !options.diagnose && !algorithm.baseline;
}

Index workers_that_pay(const LinearModel& model) {
  const double most = std::min(model.features().entries() / least_entries,
                               static_cast<double>(model.sample_count()) /
                                   (least_samples_per_variable * static_cast<double>(model.dimension())));
  Index workers = 1;
  while (2 * workers <= most_chosen && static_cast<double>(2 * workers) <= most) workers *= 2;
  return workers;
}

}  // namespace

Index choose_workers(const Problem& problem, const SolveOptions& options,
                     const AlgorithmDescription& algorithm) {
  const Index wanted = options.workers, samples = problem.objective().sample_count();
  if (wanted < 0 || wanted > most_workers)
    throw InputError("there are " + std::to_string(wanted) + " workers; there must be 1 to " +
                     std::to_string(most_workers));
  if (wanted == 0) {
    const LinearModel* model = problem.objective().as_linear_model();
    return model && !model->spread_over_processes() && is_open(options, algorithm) ? workers_that_pay(*model)
                                                                                   : 1;
  }
  if (wanted == 1) return 1;
  if (samples != endless && wanted > samples)
    throw InputError(std::to_string(wanted) + " workers for " + std::to_string(samples) +
                     (samples == 1 ? " sample" : " samples"));
  if (algorithm.baseline)
    throw InputError("several workers are for Algorithms 1 to 4, not for '" + std::string(algorithm.name) +
                     "'");
  return wanted;
}

}  // namespace bridle
