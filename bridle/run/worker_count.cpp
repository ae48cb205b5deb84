#include "bridle/run/worker_count.hpp"

#include <algorithm>
#include <string>

#include "bridle/core/error.hpp"
#include "bridle/problem/objectives/linear_model.hpp"

namespace bridle {

Index choose_workers(const Problem& problem, const SolveOptions& options,
                     const AlgorithmDescription& algorithm) {
  const LinearModel* model = problem.objective().as_linear_model();
  const Index shares = model && model->shares() ? model->shares()->count : 0;
  const Index wanted = options.workers == 0 && shares > 0 ? shares : options.workers;
  if (shares > 0 && shares != wanted)
    throw InputError("the samples are in " + std::to_string(shares) + " shares, for " +
                     std::to_string(wanted) + " workers");
  const Index samples = problem.objective().sample_count();
  if (wanted < 0 || wanted > most_workers)
    throw InputError("there are " + std::to_string(wanted) + " workers; there must be 1 to " +
                     std::to_string(most_workers));
  if (wanted <= 1) return 1;
  if (samples != endless && wanted > samples)
    throw InputError(std::to_string(wanted) + " workers for " + std::to_string(samples) +
                     (samples == 1 ? " sample" : " samples"));
  if (algorithm.baseline)
    throw InputError("several workers are for Algorithms 1 to 4, not for '" + std::string(algorithm.name) +
                     "'");
  return wanted;
}

}  // namespace bridle
