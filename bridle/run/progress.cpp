#include "bridle/run/progress.hpp"

#include <algorithm>
#include <cmath>

#include "bridle/core/count.hpp"
#include "bridle/core/formatted.hpp"
#include "bridle/diagnose/face.hpp"

namespace bridle {
namespace {

constexpr double rows_of_a_run = 200;
constexpr double share_of_time = 0.1;  // of a loop with a time limit, that rows may take
constexpr int most_after_loop = 50;    // rows of the phases after the loop that do not show a smaller error

double distance(const Vector& v, const Vector& lower, const Vector& upper) {
  return (v - v.cwiseMax(lower).cwiseMin(upper)).norm();
}

}  // namespace

ProgressRows::ProgressRows(const RunProblem& problem, const SolveOptions& options, const Budget& budget,
                           Observer& observer)
    : problem_(problem), budget_(budget), observer_(observer), figures_(problem, options) {
  if (options.diagnose) diagnosis_ = std::make_unique<RunDiagnosis>(problem.working(), options);
}

std::uint64_t ProgressRows::row_length(double cost) const {
  return to_count((end_ - first_) / (rows_of_a_run * cost));
}

double ProgressRows::row_now() const {
  return std::floor((budget_.spent.samples - first_) * rows_of_a_run / std::max(1.0, end_ - first_));
}

double ProgressRows::violation(const Vector& x) const {
  const Rows& rows = problem_.user.rows();
  const double linear = distance(rows.matrix * x, rows.lower, rows.upper);
  const SmoothRows& smooth = problem_.user.smooth_rows();
  return smooth.count() > 0 ? std::hypot(linear, distance(smooth.value(x), smooth.lower, smooth.upper))
                            : linear;
}

void ProgressRows::tell(const StageRunner& runner, const RunState& state) {
  const double row = row_now();
  if (row <= last_row_ || observer_.wants() == Observer::Wants::nothing) return;
  const double now = budget_.seconds();
  if (budget_.has_deadline() && row_seconds_ > share_of_time * (now - began_)) return;  // later
  last_row_ = row;
  Progress p;
  p.iterations = budget_.spent.iterations;
  p.samples = budget_.spent.samples;
  p.budget = end_;
  p.stage = state.stage.number;
  const Vector x = problem_.to_user(runner.form().to_original(runner.iterate().x));
  figures_.measure_objective(x, (end_ - first_) / rows_of_a_run, state.judged.latest, p);
  p.feasibility = violation(x);
  if (observer_.wants() == Observer::Wants::figures) {
    figures_.judge(x, runner.form().multipliers_to_original(runner.iterate().y), p);
  } else if (state.judged.latest) {
    p.stationarity = state.judged.latest->certificate.stationarity.absolute;
    p.error = state.judged.latest->certificate.error();
  }
  p.step = state.stage.stage.at(state.stage.done).tau;
  if (diagnosis_) {
    const auto figures = (*diagnosis_)(runner.in_original_units());
    p.envelope = figures.envelope;
    p.envelope_gradient = figures.envelope_gradient;
    p.potential = figures.potential;
  }
  p.seconds = budget_.seconds();
  row_seconds_ += p.seconds - now;
  p.seconds_left = seconds_left(p);
  end_seconds_ = p.seconds + p.seconds_left;
  observer_.progress(p);
}

// By the speed of this loop alone: what was before it had another. A run whose budget is time takes all of
// it.
double ProgressRows::seconds_left(const Progress& row) {
  const double of_all = std::max(0.0, budget_.seconds_left_of_all());
  if (clocked_) return of_all;
  const double taken = row.seconds - began_, done = std::max(1.0, row.samples - spent_then_);
  return std::min(std::max(0.0, taken * (end_ - row.samples) / done) + after_, of_all);
}

void ProgressRows::tell(const JudgedPoint& point, const std::string& phase, const StageState& stage) {
  if (observer_.wants() == Observer::Wants::nothing) return;
  const double error = point.certificate.error();
  if (phase != "result" && !(error < least_error_) && ++after_loop_ > most_after_loop) return;
  least_error_ = std::min(least_error_, error);
  Progress p;
  p.iterations = budget_.spent.iterations;
  p.samples = budget_.spent.samples;
  p.budget = std::max(p.samples, end_);
  p.stage = stage.number;
  p.phase = phase;
  p.objective = point.certificate.objective;
  p.objective_error = point.certificate.objective_halfwidth / 1.96;
  p.feasibility = violation(point.x);
  p.stationarity = point.certificate.stationarity.absolute;
  p.error = error;
  p.seconds = budget_.seconds();
  if (phase != "result") p.seconds_left = std::max(0.0, end_seconds_ - p.seconds);
  observer_.progress(p);
}

void ProgressRows::tell_face(const StageRunner& runner, const StageState& stage) {
  if (!diagnosis_) return;
  const FaceStability face =
      face_stability(runner.form(), runner.iterate().x, stage.stage.parameters, stage.curvature);
  observer_.event(formatted("stage %d: %td free columns, sigma_min+ %.2g, stability %+.2g%s", stage.number,
                            face.free_columns, face.smallest_singular_value, face.margin,
                            face.margin < 0 ? ": a mode of negative curvature may circle" : ""));
}

}  // namespace bridle
