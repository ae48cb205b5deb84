// Bridle's own parameters: chosen from measured curvature and noise, revised from stage to stage.
// docs/parameters.md tells what is behind the numbers.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bridle/params/curvature.hpp"
#include "bridle/params/parameters.hpp"

namespace bridle {

// Many stiff rows with little noise, or few rows with much noise.
enum class Regime { stiff, noisy };
constexpr Regime last_value(Regime) { return Regime::noisy; }

// What the driver saw during the stage that just ended.
struct StageReport {
  bool diverged = false;
  double residual = 0;  // root mean square of |A x - b| in the row metric over the last quarter of the stage
  double progress = 1;  // net movement of z over its path in the second half: near 0 when it runs in circles
  double point_norm = 0;  // |x| in the standard form

  template <class Archive>
  void transfer(Archive& archive) {
    archive(diverged, residual, progress, point_norm);
  }
};

struct StagePlan {
  Scaling scaling;
  std::shared_ptr<const StandardForm> form;  // of the problem, with `scaling`: built once
  Stage stage;
  double curvature = 1;             // L, in the metric of `scaling`
  Reasons reasons;                  // why the parameters have these values
  std::vector<std::string> events;  // what was noticed and answered
  Index gradients = 0;              // sample gradients spent on estimates
  bool continues = false;           // the stage before goes on, on other rows
};

// What the rule must know of the algorithm it chooses for.
struct RuleTraits {
  double gradients_per_iteration = 1;  // the budget counts sample gradients
  bool carries_estimate = false;       // STORM: alpha is wanted
  double draw_weight = 0;  // rows seen through draws: the largest weight of a row; 0: rows seen whole
  double batch = 1;        // samples of an iteration
};

// Columns brought to one typical magnitude, rare ones raised a little further. What a few entries say of a
// sparse column's magnitude is chance: it is drawn towards that of the other sparse ones unless it is so far
// from it that its unit must be another (16 times larger, say); an empty column has theirs. Columns of one or
// two entries whose unit differs by less are thought to have that of the others.
Vector typical_columns(const ColumnStatistics& columns);
// The column scales of the noisy regime, and in their units the mean curvature of single samples.
Vector noisy_columns(const Problem& problem, const LinearModel& model);
double sample_curvature(const LinearModel& model, const Vector& columns);
// Their geometric mean times the nearest powers of 2, or of a power of it where there would be more than 32
// of them: a ridge then takes few values on the scaled variables, and the lazy iterates bear that. A power
// that less than one column in 64 of all but 256 has gives way to the next one, if that is common, on the
// side where the column is: columns that differ by chance alone have one scale.
Vector rounded_columns(const Vector& columns);
// Single samples bend much more, in the mean, than their mean does: samples disagree.
bool is_noisy(double sample_curvature, double curvature);

class AutomaticRule {
 public:
  AutomaticRule(const Problem& problem, double budget, const RuleTraits& traits, std::uint64_t seed,
                std::optional<double> given_curvature = {});

  // The next stage from the state that was reached; nothing when all stages are done. After a stage that
  // diverged, `state` is the last good one.
  std::optional<StagePlan> next(const OriginalState& state, const std::optional<StageReport>& last,
                                double budget_left);

  // The whole budget, where it has become known better.
  void expect(double budget) { budget_ = budget; }
  // The same objective and set with other rows from now on.
  void restate(const Problem& problem);

  // The problem in the units of a stage; it was presolved once, when the rule was made.
  std::shared_ptr<const StandardForm> form_of(const Scaling& scaling) const;

  Regime regime() const { return memory_.regime; }

  template <class Archive>
  void transfer(Archive& archive) {
    archive(memory_.regime, memory_.stage, memory_.curvature, memory_.safety, memory_.noise,
            memory_.previous_residual, memory_.corrected, memory_.column_curvature, memory_.columns,
            memory_.steps_cap);
  }

 private:
  std::optional<StagePlan> next_stiff(const OriginalState& state, const std::optional<StageReport>& last,
                                      double budget_left);
  std::optional<StagePlan> next_noisy(const std::optional<StageReport>& last, double budget_left);
  double growth() const;
  double believed(double measured, StagePlan& plan);
  void heed(const StageReport& last, StagePlan& plan);
  void measure_columns(const OriginalState& state, StagePlan& plan);

  // Everything the rule remembers from stage to stage.
  struct Memory {
    Regime regime = Regime::stiff;
    int stage = 0;
    double curvature = 0;  // L
    double safety = 1;     // L is multiplied by this after trouble
    double noise = 0;      // sigma
    double previous_residual = infinity;
    bool corrected = false;       // the user's L did not fit
    Vector column_curvature;      // running maximum of the Hessian's row lengths
    Vector columns;               // C
    double steps_cap = infinity;  // noisy: R, the mean curvature of single samples
  };

  Problem problem_;
  Presolved reduced_;
  double budget_;
  RuleTraits traits_;
  std::uint64_t seed_;
  std::optional<double> given_curvature_;
  Memory memory_;
};

}  // namespace bridle
