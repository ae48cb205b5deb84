// What a user may say about a run, and what a run says while it goes.
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "bridle/core/processes.hpp"
#include "bridle/core/sampling.hpp"
#include "bridle/params/parameters.hpp"
#include "bridle/params/theory.hpp"
#include "bridle/scaling/row_metric.hpp"

namespace bridle {

// Which iterate is returned.
enum class Output {
  best,   // the best certified one (default)
  last,   // the last one
  random  // the theory's at t*, uniform on {1, ..., T} and fixed before the run: z of Algorithms 1 and 2, (x,
          // y) of 3 and 4
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
  // How much a run may spend. What is said is a limit. Where nothing is said the run goes on until the
  // tolerance is met: 30 epochs, a million samples of a stream or 200,000 full gradients, and while that does
  // not do four times as much again from where it got to, up to a ceiling (rounds.hpp).
  double samples = 0;                  // budget in sample gradients; 0: from epochs, seconds, or a default
  double epochs = 0;                   // budget in passes over a finite sum
  double seconds = 0;                  // budget in wall time, the judge's included
  double seconds_used = 0;             // of that before the run, for reading the data
  std::function<double()> clock = {};  // seconds since some moment; empty: the machine's
  // The run ends when the judge's error is below this. Unless it is said: 1e-6 where second-order steps end
  // the run, 1e-4 elsewhere.
  double tolerance = unsaid;
  bool grow = false;      // go on in the same way from a budget that was said
  bool absolute = false;  // compare absolute figures with the tolerance, not relative ones
  std::uint64_t seed = 1;
  std::string algorithm = "smoothed";
  ParameterSource source = ParameterSource::automatic;
  std::optional<GivenParameters> given = {};  // with source = given
  std::optional<TheoryConstants> constants =
      {};                                // with source = theory: all of them, instead of computed ones
  KnownConstants known = {};             // or some of them; what is not computed must be given
  std::optional<double> curvature = {};  // L_f, when the user knows it
  Index batch = 0;    // samples of an iteration; 0: chosen, by what a step costs besides them
  Index workers = 0;  // that share the samples and average their states now and then; 0: chosen, which is 1
  Vector start_multipliers = {};  // where y starts, one entry per row, from an earlier run; empty: 0
  bool judge_start = false;       // show the start to the judge first: one that is good enough ends the run
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
  bool diagnose = false;  // compute Psi, |grad Psi| and V for every progress report; small problems only
  Index post_process =
      0;  // with output = random: return the paper's post-processed point, from a batch of so many
  bool resume = false;       // go on from the checkpoint if there is one
  bool writes_files = true;  // false in all but one of several processes that run this together
  // That execute the workers, and share passes over all the data of a linear model; null: this process alone.
  std::shared_ptr<const Processes> team = {};
};

// The paper to the letter: the parameters of its theorems, independent draws, its three draws of the rows, no
// scaling, nothing after the loop, its output.
inline SolveOptions to_the_letter(SolveOptions options) {
  options.source = ParameterSource::theory;
  options.sampling = Sampling::independent;
  options.literal_draws = true;
  options.finish = options.second_order = false;
  options.output = Output::random;
  return options;
}

struct RunInfo {
  double budget = 0;   // sample gradients; 0: none, it ends by itself
  double seconds = 0;  // of wall time, where that is the budget; then the samples are a guess
  std::string algorithm;
  std::string regime;
  bool resumed = false;
  int round = 1;  // of a run that goes on until it is certified
};

struct Progress {
  std::uint64_t iterations = 0;
  double samples = 0, budget = 0;
  int stage = 0;
  std::string phase = "loop";  // or "second order", "polish", "round" (its end); last "result": the point
  double objective = 0;        // f; NaN when there is no value function
  double objective_error = 0;  // the standard error of f where it was estimated from samples
  double feasibility = 0;      // |dist(A x, [l, u])| now
  // By the judge: of this very point where the observer wants figures, else from his latest visit; NaN
  // before the first.
  double stationarity = std::nan(""), error = std::nan("");
  double step = 0;  // tau now
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
  // What is worth measuring for progress(): nothing, the objective, or the judge's figures of every row too.
  enum class Wants { nothing, progress, figures };
  virtual Wants wants() { return Wants::progress; }
  virtual bool interrupted() { return false; }  // asked every tenth of a second or after every chunk
};

// Nobody: what a run has that nobody watches.
class Nobody final : public Observer {
 public:
  Wants wants() override { return Wants::nothing; }
};

}  // namespace bridle
