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
// Below so many variables dense Hessians are always cheap; products of a step of a problem with few
// variables.
constexpr Index few_variables = 400;
constexpr double products_of_few = 15;

// Seconds of a pass over the data, of a Hessian, and of a step with one.
struct Parts {
  double samples, pass, square, dense_step;
};

Parts parts_of(const Problem& problem, double nanoseconds_per_nonzero) {
  const AnyObjective& objective = problem.objective();
  const auto n = static_cast<double>(problem.dimension());
  const double samples =
      objective.sample_count() == endless ? 1 : static_cast<double>(objective.sample_count());
  double entries = samples * n;
  if (const LinearModel* model = objective.as_linear_model()) {
    entries = model->entries();
  } else if (const Quadratic* quadratic = objective.as_quadratic()) {
    entries = static_cast<double>(quadratic->hessian().nonZeros());
  }
  const double per_nonzero = 1e-9 * nanoseconds_per_nonzero;
  const double pass = 2 * per_nonzero * entries;
  const double in_row = entries / std::max(1.0, samples);
  const double square = square_over_pass * per_nonzero * samples * in_row * (in_row + 1) / 2;
  return {samples, pass, square, pass + square + rounds * n * n * n / 3 / flops_per_second};
}

}  // namespace

PathChoice choose_path(const Problem& problem) {
  if (problem.dimension() > most_dense_variables) return {.dense = false};
  if (problem.dimension() <= few_variables || !problem.objective().as_linear_model()) return {};
  const Parts parts = parts_of(problem, 1);
  if (!(products_of_few * parts.pass < parts.dense_step)) return {};
  return {.dense = false, .most_products = dense_iterations * parts.dense_step / parts.pass};
}

Cost estimate_cost(const Problem& problem, double nanoseconds_per_nonzero) {
  const Parts parts = parts_of(problem, nanoseconds_per_nonzero);
  Cost out;
  out.dense = choose_path(problem).dense;
  if (problem.dimension() <= most_dense_variables && parts.pass > 0)
    out.hessian_passes = std::max(1.0, parts.square / parts.pass);
  out.seconds =
      out.dense ? dense_iterations * parts.dense_step : product_iterations * (1 + products) * parts.pass;
  out.sample_gradients = parts.pass > 0 ? out.seconds / (parts.pass / std::max(1.0, parts.samples)) : 0;
  return out;
}

}  // namespace bridle::second
