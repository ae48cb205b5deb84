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

// Samples spent when a loop begins and when it ends.
struct LoopSpan {
  double begin = 0, end = 0;

  double samples() const { return end - begin; }
  template <class Archive>
  void transfer(Archive& archive) {
    archive(begin, end);
  }
};

// What the run was planned for. One that is taken up with another plan goes on from where it got to.
struct Plan {
  double samples = 0, epochs = 0, seconds = 0, tolerance = 0;
  int round = 1;  // of a run that goes on until it is certified

  bool operator==(const Plan&) const = default;
  template <class Archive>
  void transfer(Archive& archive) {
    archive(samples, epochs, seconds, tolerance, round);
  }
};

// Where a run ended, in the variables it works with, and what it had spent by then, its closing included.
struct EndPoint {
  Vector x, multipliers;
  FoundBy found_by = FoundBy::start;
  Spending spent = {};

  template <class Archive>
  void transfer(Archive& archive) {
    archive(x, multipliers, found_by, spent);
  }
};

// The theory's output: where the method was at t*, and that point after the paper's post-processing, if any.
struct RandomOutput {
  std::uint64_t time = 0;
  OriginalState at;
  Index batch = 0;
  Vector post_processed = {}, post_multipliers = {};

  template <class Archive>
  void transfer(Archive& archive) {
    archive(time, at, batch, post_processed, post_multipliers);
  }
};

struct RunState {
  StageState stage;
  OriginalState good;                 // the state at the last good stage end, in the user's units
  std::optional<StageReport> report;  // of the last stage
  JudgedPoints judged;
  std::optional<RandomOutput> random_output;  // the theory's
  SecondOrderFigures second_order;            // of the phase between the two loops
  LoopSpan loop;                              // the one under way
  bool second_loop = false;                   // it is the one after the second-order phase
  std::vector<std::string> events;
  Plan plan;
  Index samples = 0;  // that it works on where a time limit does not bear all; 0: all

  template <class Archive>
  void transfer(Archive& archive) {
    archive(stage, good, report, judged, random_output, second_order, loop, second_loop, events, plan,
            samples);
  }
};

// Whether what a file says can be a state of this problem: a forged one must not become another's memory.
bool fits(const RunState& state, const std::optional<EndPoint>& end, const Problem& working,
          const Problem& user);

}  // namespace bridle
