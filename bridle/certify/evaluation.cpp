#include "bridle/certify/evaluation.hpp"

#include <cmath>

#include "bridle/certify/exact_sum.hpp"
#include "bridle/core/tree_sum.hpp"
#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/problem/objectives/quadratic.hpp"

namespace bridle {
namespace {

// c'x + x'Qx/2 = (c + grad f(x))'x / 2
long double varying_part(const Quadratic& f, const Vector& x, const WideVector& gradient) {
  long double out = 0;
  for (Index j = 0; j < x.size(); ++j) out += (f.cost()[j] + gradient[j]) * x[j] / 2;
  return out;
}

Evaluation evaluate_exactly(const AnyObjective& objective, const Vector& x) {
  Evaluation out;
  Vector gradient(x.size());
  if (const LinearModel* model = objective.as_linear_model()) {  // one pass over the data, not two
    out.value = model->value_and_gradient(x, gradient);
  } else {
    if (!objective.as_quadratic()) objective.mean_gradient(x, gradient);
    out.value = objective.mean_value(x).value_or(std::nan(""));
  }
  const Quadratic* quadratic = objective.as_quadratic();
  out.gradient = quadratic ? with_product(quadratic->cost(), *quadratic, x) : gradient.cast<long double>();
  out.varying = quadratic ? varying_part(*quadratic, x, out.gradient) : out.value;
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
  const Vector mean = sums.gradient / count;
  out.gradient = mean.cast<long double>();
  out.gradient_variance = (sums.squares / count - mean.cwiseAbs2()).cwiseMax(0.0);
  out.value = std::nan("");
  if (sums.has_value) {
    out.value = sums.values / count;
    out.value_halfwidth =
        1.96 * std::sqrt(std::max(0.0, sums.value_squares / count - out.value * out.value) / count);
  }
  if (const auto known = objective.mean_value(x)) {
    out.value = *known;
    out.value_halfwidth = 0;
  }
  out.varying = out.value;
  return out;
}

}  // namespace

WideVector with_product(const Vector& start, const Quadratic& f, const Vector& d) {
  std::vector<ExactSum> sums(start.begin(), start.end());
  for (Index k = 0; k < f.hessian().outerSize(); ++k)
    for (SparseColumns::InnerIterator it(f.hessian(), k); it; ++it)
      sums[static_cast<std::size_t>(it.row())].add(it.value(), d[k]);
  WideVector out(d.size());
  for (Index j = 0; j < d.size(); ++j) out[j] = sums[static_cast<std::size_t>(j)].value();
  return out;
}

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
