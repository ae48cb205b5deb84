#include <algorithm>

#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/problem/objectives/quadratic.hpp"
#include "bridle/second/improve.hpp"

namespace bridle::second {
namespace {

// Measured with bench/second; the phase's time is a multiple of the time of a pass.
constexpr double dense_iterations = 10, rounds = 3, product_iterations = 6, products = 40;
constexpr double square_over_pass = 0.3;  // time of an entry of a row's square, over that of a nonzero
constexpr double flops_per_second = 8e9;

}  // namespace

Cost estimate_cost(const Problem& problem, double nanoseconds_per_nonzero) {
  const AnyObjective& objective = problem.objective();
  const auto n = static_cast<double>(problem.dimension());
  double samples = objective.sample_count() == endless ? 1 : static_cast<double>(objective.sample_count());
  double entries = samples * n;
  if (const LinearModel* model = objective.as_linear_model()) {
    // Rows that other processes hold are passed over there, at the same time.
    entries = model->features().entries();
    samples = static_cast<double>(model->features().rows());
  } else if (const Quadratic* quadratic = objective.as_quadratic()) {
    entries = static_cast<double>(quadratic->hessian().nonZeros());
  }
  const double per_nonzero = 1e-9 * nanoseconds_per_nonzero;
  const double pass = 2 * per_nonzero * entries;
  const double in_row = entries / std::max(1.0, samples);
  Cost out;
  out.dense = problem.dimension() <= most_dense_variables;
  if (out.dense) {
    const double square = square_over_pass * per_nonzero * samples * in_row * (in_row + 1) / 2;
    if (pass > 0) out.hessian_passes = std::max(1.0, square / pass);
    out.seconds = dense_iterations * (pass + square + rounds * n * n * n / 3 / flops_per_second);
  } else {
    out.seconds = product_iterations * (pass + products * pass);
  }
  out.sample_gradients = pass > 0 ? out.seconds / (pass / std::max(1.0, samples)) : 0;
  return out;
}

}  // namespace bridle::second
