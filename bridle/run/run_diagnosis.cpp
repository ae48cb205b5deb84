#include "bridle/run/run_diagnosis.hpp"

#include <cmath>

#include "bridle/core/error.hpp"
#include "bridle/run/theory_constants.hpp"

namespace bridle {

RunDiagnosis::RunDiagnosis(const Problem& problem, const SolveOptions& options) {
  if (problem.has_smooth_rows())
    throw InputError("diagnosis is for linear rows; this problem has smooth ones");
  if (problem.dimension() + problem.rows().count() > most_unknowns)
    throw InputError("diagnosis is for small problems: " + std::to_string(problem.dimension()) +
                     " variables and " + std::to_string(problem.rows().count()) + " rows are more than " +
                     std::to_string(most_unknowns) + " together");
  if (!problem.objective().has_exact_mean() || !problem.objective().mean_value(problem.starting_point()))
    throw InputError("diagnosis needs f and its gradient exactly, which this objective does not offer");
  const TheoryConstants constants = estimated_constants(problem, options).constants;
  Scaling literal;
  literal.metric = MetricKind::identity;
  form_ = std::make_unique<StandardForm>(problem, literal);
  diagnosis_ = std::make_unique<Diagnosis>(
      *form_, DiagnosisConstants{theory_mu(constants), constants.rho, constants.smoothness,
                                 form_->rows() ? std::sqrt(form_->metric().norm_squared()) : 0});
}

RunDiagnosis::Figures RunDiagnosis::operator()(const OriginalState& state) const {
  Vector x = form_->to_standard(state.x, state.slacks);
  form_->project(x);
  const Vector z = form_->to_standard(state.z, state.smoothed_slacks);
  const Vector y = form_->multipliers_to_standard(state.multipliers);
  const InnerSolution envelope = diagnosis_->envelope(z);
  return {envelope.value, diagnosis_->constants().mu * (z - envelope.v).norm(),
          diagnosis_->potential(x, y, z)};
}

}  // namespace bridle
