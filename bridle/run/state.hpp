// The complete state of a run between two chunks of iterations: plain values, so that it can be saved and
// taken up again bit for bit.
#pragma once

#include "bridle/algorithms/iterate.hpp"
#include "bridle/certify/certificate.hpp"
#include "bridle/params/automatic.hpp"
#include "bridle/run/budget.hpp"
#include "bridle/run/result.hpp"

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

// The stage that is under way.
struct StageState {
  int number = 0;  // 1 for the first
  bool open = false;
  Scaling scaling;
  Stage stage;
  double curvature = 1;
  double dual_bound = infinity;  // M_y
  Reasons reasons;
  std::uint64_t done = 0;  // iterations of this stage
  Iterate iterate;         // in the standard form of `scaling`
  StageWatch watch;
  std::string representation;  // of the iterate in the loop
  double touched = 0;          // variables that a step touches; 0: all

  template <class Archive>
  void transfer(Archive& archive) {
    archive(number, open, scaling, stage, curvature, dual_bound, reasons, done, iterate, watch,
            representation, touched);
  }
};

struct JudgedPoint {
  Vector x;
  Certificate certificate;
  FoundBy found_by = FoundBy::start;

  template <class Archive>
  void transfer(Archive& archive) {
    archive(x, certificate, found_by);
  }
};

// What the judge has seen, in the user's units.
struct JudgedPoints {
  std::optional<JudgedPoint> best, best_feasible, lowest_feasible, latest;
  double tolerance = 0;   // what a certificate is compared with
  double next_visit = 0;  // he comes when this many samples are spent
  bool quick_origin_charged = false, thorough_origin_charged = false;  // his gradients at the origin

  template <class Archive>
  void transfer(Archive& archive) {
    archive(best, best_feasible, lowest_feasible, latest, tolerance, next_visit, quick_origin_charged,
            thorough_origin_charged);
  }
};

// A loop that goes on after the second-order phase: what it may spend, and the samples spent at its end.
struct SecondLoop {
  double samples = 0, end = 0;

  template <class Archive>
  void transfer(Archive& archive) {
    archive(samples, end);
  }
};

struct RunState {
  StageState stage;
  OriginalState good;                 // the state at the last good stage end, in the user's units
  std::optional<StageReport> report;  // of the last stage
  JudgedPoints judged;
  std::optional<OriginalState> at_random_time;  // the theory's output
  SecondOrderFigures second_order;              // of the phase between the two loops
  std::optional<SecondLoop> second_loop;        // nothing before it has begun
  std::vector<std::string> events;

  template <class Archive>
  void transfer(Archive& archive) {
    archive(stage, good, report, judged, at_random_time, second_order, second_loop, events);
  }
};

}  // namespace bridle
