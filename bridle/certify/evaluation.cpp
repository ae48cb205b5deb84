#include "bridle/certify/evaluation.hpp"

#include <cmath>

#include "bridle/core/tree_sum.hpp"
#include "bridle/problem/objectives/linear_model.hpp"

namespace bridle {
namespace {

Evaluation evaluate_exactly(const AnyObjective& objective, const Vector& x) {
  Evaluation out;
  out.gradient.resize(x.size());
  if (const LinearModel* model = objective.as_linear_model()) {  // one pass over the data, not two
    out.value = model->value_and_gradient(x, out.gradient);
  } else {
    objective.mean_gradient(x, out.gradient);
    out.value = objective.mean_value(x).value_or(std::nan(""));
  }
  out.gradients = objective.sample_count() == endless ? 1 : objective.sample_count();
  return out;
}

// Sums over samples of the judge's batch.
struct BatchSums {
  Vector gradient, squares;
  double values = 0, value_squares = 0;
  bool has_value = true;

  BatchSums& operator+=(const BatchSums& other) {
    gradient += other.gradient;
    squares += other.squares;
    values += other.values;
    value_squares += other.value_squares;
    has_value = has_value && other.has_value;
    return *this;
  }
};

Evaluation evaluate_by_samples(const AnyObjective& objective, const Vector& x, Index batch,
                               std::uint64_t seed) {
  Evaluation out;
  out.batch = out.gradients = batch;
  const Stream stream(seed, Purpose::certificate);
  const auto count = static_cast<double>(batch);
  BatchSums zero;
  zero.gradient = zero.squares = Vector::Zero(x.size());
  const auto add = [&](Index first, Index last, BatchSums& part) {
    Vector one(x.size());
    for (Index k = first; k < last; ++k) {
      const Sample sample = stream.bits(static_cast<std::uint64_t>(k)).first;
      objective.gradient(x, sample, one);
      part.gradient += one;
      part.squares += one.cwiseAbs2();
      const auto value = objective.value(x, sample);
      part.has_value = part.has_value && value;
      part.values += value.value_or(0);
      part.value_squares += value.value_or(0) * value.value_or(0);
    }
  };
  const BatchSums sums = sum_over_chunks(batch, objective.thread_safe() ? threads_in_use() : 1, zero, add);
  out.gradient = sums.gradient / count;
  out.gradient_variance = (sums.squares / count - out.gradient.cwiseAbs2()).cwiseMax(0.0);
  out.value = std::nan("");
  if (sums.has_value) {
    out.value = sums.values / count;
    out.value_halfwidth =
        1.96 * std::sqrt(std::max(0.0, sums.value_squares / count - out.value * out.value) / count);
  }
  if (const auto mean = objective.mean_value(x)) {
    out.value = *mean;
    out.value_halfwidth = 0;
  }
  return out;
}

}  // namespace

double Evaluation::halfwidth(const Vector& scale) const {
  if (exact()) return 0;
  double sum = 0;
  for (Index j = 0; j < scale.size(); ++j)
    if (gradient_variance[j] > 0) sum += gradient_variance[j] / (scale[j] * scale[j]);
  return (1 + 1.645) * std::sqrt(sum / static_cast<double>(batch));
}

Evaluation evaluate(const AnyObjective& objective, const Vector& x, Index batch, std::uint64_t seed) {
  return objective.has_exact_mean() ? evaluate_exactly(objective, x)
                                    : evaluate_by_samples(objective, x, batch, seed);
}

}  // namespace bridle
