#include "bridle/second/improve.hpp"

#include "bridle/core/error.hpp"
#include "bridle/problem/objectives/quadratic.hpp"
#include "bridle/second/parts.hpp"
#include "bridle/second/phase.hpp"
#include "bridle/second/smooth_phase.hpp"

namespace bridle::second {

Applies applies(const Problem& problem) {
  const AnyObjective& objective = problem.objective();
  if (problem.has_smooth_rows()) return smooth_phase_applies(problem);
  if (!objective.as_linear_model()) {
    if (!objective.has_hessian() && !objective.has_hessian_product())
      return {false, "the objective offers no second derivatives"};
    if (const Quadratic* quadratic = objective.as_quadratic();
        quadratic && quadratic->hessian().nonZeros() == 0)
      return {false, "the objective is linear"};
    if (!objective.has_exact_mean()) return {false, "the objective's gradient is known through samples only"};
    if (!objective.has_value()) return {false, "the objective has no value function"};
  }
  if (const auto& stochastic = problem.stochastic_rows(); stochastic && !stochastic->mean())
    return {false, "some rows are known through samples only"};
  const Vector zero = Vector::Zero(problem.dimension());
  if (!problem.set().part(zero, zero)) return {false, "X is not described by few linear rows"};
  return {};
}

Outcome improve(const Problem& problem, const Start& start, const Options& options) {
  if (const Applies answer = applies(problem); !answer)
    throw InputError("the second-order phase does not apply: " + answer.reason);
  if (start.x.size() != problem.dimension())
    throw InputError("the second-order phase starts from a point with " + std::to_string(start.x.size()) +
                     " variables; the problem has " + std::to_string(problem.dimension()));
  if (problem.has_smooth_rows()) return run_smooth_phase(problem, start, options);
  const auto landscape = Landscape::of(problem);
  const auto region = Region::of(problem);
  if (!region) return run_phase_by_parts(problem, *landscape, start, options);
  return run_phase(problem, *region, *landscape, start, options);
}

const char* meaning(End end) {
  switch (end) {
    case End::converged:
      return "the error is below the tolerance";
    case End::at_rest:
      return "the objective cannot be lowered any more";
    case End::stopped:
      return "stopped";
    case End::out_of_iterations:
      return "out of iterations";
    case End::not_finite:
      return "something is not finite";
    case End::no_feasible_point:
      return "no feasible point was found";
  }
  return "";
}

}  // namespace bridle::second
