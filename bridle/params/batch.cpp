#include "bridle/params/batch.hpp"

#include <algorithm>
#include <string>

#include "bridle/core/formatted.hpp"
#include "bridle/params/noisy.hpp"

namespace bridle {
namespace {

// In nonzeros of samples.
double cost_of_step(const StepCost& cost, double K) {
  return (cost.waits ? waiting_cost.value : 0) + moved_cost * cost.moved + K * (cost.sample + sample_cost);
}

}  // namespace

bool may_want_batches(const StepCost& cost) {
  return cost_of_step(cost, 1) >= batch_worth * (cost.sample + sample_cost);
}

BatchChoice choose_batch(const StepCost& cost, double R, double L, Index count) {
  const auto cost_of_way = [&](double K) {
    const Formula sees = batch_curvature({"R", R}, {"L", L}, K);
    return cost_of_step(cost, K) / noisy_parameters(sees, {"L", L}).tau.value();
  };
  double least = cost_of_way(1);
  const auto bears = [&](double K) { return K * batches_per_pass <= static_cast<double>(count); };
  for (double K = 2; bears(K); K *= 2) least = std::min(least, cost_of_way(K));
  if (cost_of_way(1) < batch_worth * least) return {};
  double K = 2;  // 1 is not within the slack
  while (cost_of_way(K) > batch_slack * least) K *= 2;
  const std::string waits = cost.waits ? formatted("%g + ", waiting_cost.value) : "",
                    moved = cost.moved > 0 ? formatted("%g %.4g numbers that every step moves + ",
                                                       moved_cost.value, cost.moved)
                                           : "";
  return {static_cast<Index>(K),
          Reason{"K", K,
                 formatted("samples a step: nearly the least (%s%sK (%.3g + %g))/tau", waits.c_str(),
                           moved.c_str(), cost.sample, sample_cost.value)}};
}

}  // namespace bridle
