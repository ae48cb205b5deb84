#include "bridle/run/progress.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "bridle/diagnose/face.hpp"

namespace bridle {
namespace {

constexpr double rows_of_a_run = 200;
// Samples of an estimate of f: a twentieth of those between two rows, within limits.
constexpr double estimate_share = 1.0 / 20, most_estimated = 256;

}  // namespace

ProgressRows::ProgressRows(const Problem& problem, const SolveOptions& options, const Budget& budget,
                           const Oracle& oracle, Observer& observer)
    : problem_(problem), options_(options), budget_(budget), oracle_(oracle), observer_(observer) {
  if (options.diagnose) diagnosis_ = std::make_unique<RunDiagnosis>(problem, options);
}

double ProgressRows::row_now() const {
  return std::floor(budget_.spent.samples * rows_of_a_run / std::min(end_, budget_.samples()));
}

void ProgressRows::tell(const StageRunner& runner, const RunState& state) {
  const double row = row_now();
  if (row <= last_row_) return;
  last_row_ = row;
  Progress p;
  p.iterations = budget_.spent.iterations;
  p.samples = budget_.spent.samples;
  p.budget = budget_.samples();
  p.stage = state.stage.number;
  const Vector x = runner.form().to_original(runner.iterate().x);
  const auto samples =
      static_cast<Index>(std::clamp(budget_.samples() / rows_of_a_run * estimate_share, 1.0, most_estimated));
  p.objective = oracle_.estimate_value(x, samples);
  const Rows& rows = problem_.rows();
  const Vector activity = rows.matrix * x;
  p.feasibility = (activity - activity.cwiseMax(rows.lower).cwiseMin(rows.upper)).norm();
  if (const SmoothRows& smooth = problem_.smooth_rows(); smooth.count() > 0) {
    const Vector value = smooth.value(x);
    p.feasibility =
        std::hypot(p.feasibility, (value - value.cwiseMax(smooth.lower).cwiseMin(smooth.upper)).norm());
  }
  if (state.judged.latest) p.stationarity = state.judged.latest->certificate.stationarity.absolute;
  p.step = state.stage.stage.at(state.stage.done).tau;
  if (diagnosis_) {
    const auto figures = (*diagnosis_)(runner.in_original_units());
    p.envelope = figures.envelope;
    p.envelope_gradient = figures.envelope_gradient;
    p.potential = figures.potential;
  }
  p.seconds = budget_.seconds();
  p.seconds_left =
      p.seconds * std::max(0.0, std::min(end_, budget_.samples()) / std::max(1.0, p.samples) - 1);
  observer_.progress(p);
}

void ProgressRows::tell_face(const StageRunner& runner, const StageState& stage) {
  if (!diagnosis_) return;
  const FaceStability face =
      face_stability(runner.form(), runner.iterate().x, stage.stage.parameters, stage.curvature);
  char text[160];
  std::snprintf(text, sizeof text, "stage %d: %td free columns, sigma_min+ %.2g, stability %+.2g%s",
                stage.number, face.free_columns, face.smallest_singular_value, face.margin,
                face.margin < 0 ? ": a mode of negative curvature may circle" : "");
  observer_.event(text);
}

}  // namespace bridle
