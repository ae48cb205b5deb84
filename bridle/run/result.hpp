// What a run returns: the point, how it was judged, and what it cost.
#pragma once

#include "bridle/certify/certificate.hpp"
#include "bridle/certify/infeasibility.hpp"
#include "bridle/certify/unboundedness.hpp"
#include "bridle/core/status.hpp"
#include "bridle/run/options.hpp"
#include "bridle/run/phases.hpp"

namespace bridle {

// What the second-order phase did.
struct SecondOrderFigures {
  bool ran = false;
  int iterations = 0;
  double full_gradients = 0, hessians = 0, hessian_products = 0, projections = 0;
  int saddles_left = 0;
  std::optional<double> least_curvature = {};  // along the face of the point found; negative at a saddle
  double seconds = 0;                          // without the judge's
  std::string ended = {};                      // why

  template <class Archive>
  void transfer(Archive& archive) {
    archive(ran, iterations, full_gradients, hessians, hessian_products, projections, saddles_left,
            least_curvature, seconds, ended);
  }
};

// What the theory speaks of, with output = random, in the user's units: the iterates at t*, and the paper's
// post-processing of them. Errors are the judge's.
struct TheoryOutput {
  std::uint64_t time = 0, iterations = 0;  // t*, of T
  Vector x, y, z;                          // x_{t*}, y_{t*}, z_{t*}
  double x_error = infinity, z_error = infinity;
  Index batch = 0;                                    // of the post-processing; 0: there was none
  Vector post_processed = {}, post_multipliers = {};  // xhat, y_{t*+1}
  double post_processed_error = infinity;
};

struct Result {
  Status status = Status::budget_exhausted;
  Vector x;  // in the user's units
  Vector y;  // one multiplier per row
  Certificate certificate;
  std::optional<Infeasibility> infeasibility;  // the proof, with status infeasible
  std::optional<Unboundedness> unboundedness;  // the proof, with status diverged

  std::string algorithm;
  std::string parameter_source;
  Parameters parameters;   // of the last stage, at its start
  GivenParameters choice;  // the same with schedule and scaling, to be given to another run
  Reasons reasons;
  std::vector<std::string> events;  // what was noticed and answered on the way
  std::string advice = {};          // with status budget_exhausted: why the run stopped, and what to do

  FoundBy found_by = FoundBy::start;  // the point returned
  PhaseTable phases;                  // what each phase has spent
  SecondOrderFigures second_order;
  std::optional<TheoryOutput> theory_output = {};  // with output = random

  std::uint64_t seed = 0;
  std::uint64_t iterations = 0;
  std::uint64_t dual_resets = 0;                  // times the dual safeguard fired
  double samples = 0;                             // sample gradients of the method, estimates included
  double certificate_samples = 0;                 // and of the judge
  double solve_seconds = 0, certify_seconds = 0;  // the judge's are the latter
  double tolerance = 0;
  bool absolute = false;

  Names variable_names, row_names;

  // With status infeasible: which rows contradict each other, in one line.
  std::string conflict() const;
  // With status diverged: along which direction the objective falls without end, where that was proved.
  std::string endless_fall() const;
  double objective() const { return certificate.objective; }
  bool certified() const { return status == Status::stationary; }
  double step_nanoseconds() const {  // of the loop, with the start
    const double seconds = phases[Phase::start].seconds + phases[Phase::loop].seconds;
    return iterations ? 1e9 * seconds / static_cast<double>(iterations) : 0;
  }
  // Takes over what the phases spent, and the times that follow from it.
  void account(const PhaseTable& table);

  std::string brief_report() const;  // one line
  std::string full_report() const;   // status, objective, feasibility, stationarity, parameters
};

}  // namespace bridle
