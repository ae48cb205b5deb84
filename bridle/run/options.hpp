// What a user may say about a run, and what a run says while it goes.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "bridle/core/sampling.hpp"
#include "bridle/params/parameters.hpp"
#include "bridle/params/theory.hpp"
#include "bridle/scaling/row_metric.hpp"

namespace bridle {

// Which iterate is returned.
enum class Output {
  best,   // the best certified one (default)
  last,   // the last one
  random  // the theory's: iteration t* uniform on {1, ..., T}, fixed before the run
};
constexpr std::string_view to_string(Output output) {
  return output == Output::best ? "best" : output == Output::last ? "last" : "random";
}

enum class ParameterSource { automatic, theory, given };
constexpr std::string_view to_string(ParameterSource source) {
  return source == ParameterSource::automatic ? "auto"
         : source == ParameterSource::theory  ? "theory"
                                              : "given";
}

// Parameters a user fixes. With metric = identity the loop is the paper's, on the user's own rows.
struct GivenParameters {
  Parameters parameters;
  Schedule schedule;
  MetricKind metric = MetricKind::identity;
  Vector columns = {};  // C, a scale for each variable; empty: all 1
};

inline constexpr double unsaid = -infinity;
inline constexpr double ordinary_tolerance = 1e-4, sharp_tolerance = 1e-6;

struct SolveOptions {
  double samples = 0;  // budget in sample gradients; 0: from epochs, seconds, or a default
  double epochs = 0;   // budget in passes over a finite sum
  double seconds = 0;  // budget in wall time
  // The run ends when the judge's error is below this. Unless it is said: 1e-6 where second-order steps end
  // the run, 1e-4 elsewhere.
  double tolerance = unsaid;
  bool grow = false;  // not there yet: again from where it got to, with four times the budget, until it is
  bool absolute = false;  // compare absolute figures with the tolerance, not relative ones
  std::uint64_t seed = 1;
  std::string algorithm = "smoothed";
  ParameterSource source = ParameterSource::automatic;
  std::optional<GivenParameters> given = {};      // with source = given
  std::optional<TheoryConstants> constants = {};  // with source = theory: instead of computed ones
  std::optional<double> curvature = {};           // L_f, when the user knows it
  Index batch = 1;
  Vector start_multipliers = {};  // where y starts, one entry per row, from an earlier run; empty: 0
  double dual_bound = 0;          // M_y of the dual safeguard, in the standard form; 0: chosen
  std::optional<SafeguardConstants> safeguard = {};  // where these are known: M_y by the paper's formula
  bool literal_draws =
      false;  // Algorithms 2, 4: the paper's three draws even where a better estimator is known
  Sampling sampling = Sampling::reshuffled;
  Output output = Output::best;
  bool refit_multipliers = true;  // let the judge replace y by a better fit; costly with very many rows
  bool finish = true;             // polish the last point onto its face (a phase beyond the paper)
  bool second_order = true;       // and before that second-order steps, where the objective offers curvature
  std::string checkpoint = {};    // file for the complete state; empty: none
  double checkpoint_seconds = 5;  // how often it is written
  bool diagnose = false;     // compute Psi, |grad Psi| and V for every progress report; small problems only
  Index post_process = 0;    // batch of the paper's post-processing step, with output = random; 0: none
  bool resume = false;       // go on from the checkpoint if there is one
  bool writes_files = true;  // false in all but one of several processes that run this together
};

struct RunInfo {
  double budget = 0;  // sample gradients
  std::string algorithm;
  std::string regime;
  bool resumed = false;
};

struct Progress {
  std::uint64_t iterations = 0;
  double samples = 0, budget = 0;
  int stage = 0;
  double objective = 0;                // estimate from a small batch; NaN when there is no value function
  double feasibility = 0;              // |dist(A x, [l, u])| now
  double stationarity = std::nan("");  // from the judge's latest visit; NaN before the first
  double step = 0;                     // tau now
  // With SolveOptions::diagnose, else NaN: Psi(z), |grad Psi(z)|, V(x, y, z) with the theory's mu.
  double envelope = std::nan(""), envelope_gradient = std::nan(""), potential = std::nan("");
  double seconds = 0, seconds_left = 0;
};

// Looks on; all members are optional. The library itself never prints.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void started(const RunInfo&) {}
  virtual void stage(int, const Stage&, const Reasons&) {}
  virtual void event(const std::string&) {}
  virtual void warning(const std::string& text) { event(text); }  // what a user must know in any case
  virtual void progress(const Progress&) {}
  virtual bool interrupted() { return false; }  // asked every tenth of a second or after every chunk
};

}  // namespace bridle
