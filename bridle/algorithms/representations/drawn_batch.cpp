#include "bridle/algorithms/representations/drawn_batch.hpp"

#include "bridle/problem/objectives/linear_model.hpp"

namespace bridle {
namespace {

constexpr double most_samples = 65536, most_numbers = 1e8;
constexpr double worth_a_vector = 2;  // times as many numbers as there are variables: those are added up
constexpr Index of_unknown_cost = 1024;

}  // namespace

// A linear model tells what a sample costs. Where its samples are spread, processes must cut alike, whatever
// each of them has: only the columns are the same everywhere.
Index samples_of_a_piece(const AnyObjective& objective) {
  const LinearModel* model = objective.as_linear_model();
  if (!model) return of_unknown_cost;
  const Features& data = model->features();
  const auto variables = static_cast<double>(std::max<Index>(1, data.columns()));
  if (model->batches_are_spread())
    return static_cast<Index>(
        data.sparse() ? most_samples : std::max(1.0, std::min(most_samples, most_numbers / variables)));
  const double numbers =
      data.sparse() ? 1 + model->entries() / static_cast<double>(std::max<Index>(1, model->sample_count()))
                    : variables;
  return static_cast<Index>(
      std::max({1.0, std::min(most_samples, most_numbers / numbers), worth_a_vector * variables / numbers}));
}

}  // namespace bridle
