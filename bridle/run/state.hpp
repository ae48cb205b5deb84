// The complete state of a run between two chunks of iterations: plain values, so that it can be saved and
// taken up again bit for bit.
#pragma once

#include "bridle/algorithms/iterate.hpp"
#include "bridle/certify/certificate.hpp"
#include "bridle/params/automatic.hpp"

namespace bridle {

// What a stage looks like from outside: how large the residual is, whether z gets anywhere.
struct StageWatch {
  double residual_squares = 0, residual_count = 0;
  Vector first_z, last_z;
  double path = 0;

  template <class Archive>
  void transfer(Archive& archive) {
    archive(residual_squares, residual_count, first_z, last_z, path);
  }
};

struct JudgedPoint {
  Vector x;
  Certificate certificate;

  template <class Archive>
  void transfer(Archive& archive) {
    archive(x, certificate);
  }
};

struct RunState {
  int stage_number = 0;
  bool in_stage = false;
  Scaling scaling;
  Stage stage;
  double curvature = 1;
  double dual_bound = infinity;  // M_y
  Reasons reasons;
  std::uint64_t stage_done = 0;  // iterations of this stage
  Iterate iterate;               // in the standard form of `scaling`
  OriginalState good;            // the state at the last good stage end, in the user's units
  StageWatch watch;
  std::optional<StageReport> report;

  std::uint64_t iterations = 0;
  double samples = 0, certificate_samples = 0;
  bool quick_origin = false, thorough_origin = false;  // the judges' gradients at the origin are charged
  double next_check = 0;                               // the judge visits when `samples` reaches this
  std::optional<JudgedPoint> best, best_feasible, lowest_feasible, latest;  // in the user's units
  std::optional<OriginalState> at_random_time;
  std::vector<std::string> events;
  double seconds = 0;  // before the last resume

  template <class Archive>
  void transfer(Archive& archive) {
    archive(quick_origin, thorough_origin, stage_number, in_stage, scaling, stage, curvature, dual_bound,
            reasons, stage_done, iterate, good, watch, report, iterations, samples, certificate_samples,
            next_check, best, best_feasible, lowest_feasible, latest, at_random_time, events, seconds);
  }
};

}  // namespace bridle
