#include "bridle/params/batch.hpp"

#include "bridle/core/formatted.hpp"
#include "bridle/params/noisy.hpp"

namespace bridle {
namespace {

// In nonzeros of samples.
double cost_of_step(const StepCost& cost, double K) {
  return moved_cost * cost.moved + K * (cost.sample + sample_cost);
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
  double best = 1;
  for (double K = 2; K * batches_per_pass <= static_cast<double>(count); K *= 2)
    if (cost_of_way(K) < cost_of_way(best)) best = K;
  if (cost_of_way(1) < batch_worth * cost_of_way(best)) return {};
  return {static_cast<Index>(best),
          Reason{"K", best,
                 formatted("samples a step: least (%g %.4g + K (%.3g + %g))/tau for the %.4g numbers that "
                           "every step moves",
                           moved_cost.value, cost.moved, cost.sample, sample_cost.value, cost.moved)}};
}

}  // namespace bridle
