// Sequential quadratic programming for data in memory and a few smooth rows: every step minimises a quadratic
// model of the Lagrangian over linear rows around the point, and a merit function is made to fall.
#pragma once

#include <functional>
#include <memory>

#include "bridle/apps/fair/limited_memory.hpp"
#include "bridle/problem/problem.hpp"
#include "bridle/run/result.hpp"

namespace bridle {

struct ConvexModel;

// Where the curvature of the Lagrangian comes from.
enum class StepCurvature {
  hessian,        // its Hessian, for few variables
  limited_memory  // the last steps
};

struct SmoothStepOptions {
  StepCurvature curvature = StepCurvature::hessian;
  double tolerance = 1e-6;  // of the Lagrangian's gradient over `scale`, and of the rows
  double scale = 1;         // size of gradients, such as that at the start
  int most_steps = 20;      // with a Hessian of their own, or of limited memory
  // How much a step changes the model's outputs, root mean square.
  std::function<double(const Vector& d)> output_change = [](const Vector& d) { return d.norm(); };
  std::function<bool()> stop = [] { return false; };
};

// Keeps point, multipliers, trust, penalty and memory from one problem to the next, which may have other
// slopes and offsets but has the same rows. The objective offers values, gradients and, unless curvature
// comes from the last steps, Hessians; the set is the whole space.
class SmoothSteps {
 public:
  SmoothSteps(Vector x, Index rows) : x_(std::move(x)), y_(Vector::Zero(rows)) {}

  const Vector& x() const { return x_; }
  const Vector& multipliers() const { return y_; }  // linear rows first, then smooth ones
  double error() const { return error_; }           // estimated, at x
  int steps() const { return steps_; }              // in all; each is a pass over the data, or a Hessian
  int hessians() const { return hessians_; }        // in all

  // True when the tolerance was reached.
  bool take(const Problem& problem, const SmoothStepOptions& options);

 private:
  struct Here;
  struct Model;
  Model model_at(const Problem& problem, const Here& here, const SmoothStepOptions& options);
  // Goes on along d as far as the merit function falls; false: it does not.
  bool go(const Problem& problem, const SmoothStepOptions& options, const Here& here, const Matrix& pulled,
          const Matrix& bends, const Vector& d);

  Vector x_, y_;
  double error_ = infinity;
  double trust_ = 1;                           // root mean square change of the outputs that a step may make
  double penalty_ = 0;                         // of a row's violation in the merit function
  double shift_ = 0;                           // last added to the Hessian
  std::shared_ptr<const ConvexModel> convex_;  // the last Hessian, made convex ...
  int taken_ = 0;                              // ... and the steps that were taken with it
  LimitedMemory memory_;
  int steps_ = 0, hessians_ = 0;
};

// What such a fit took besides its steps.
struct FitCost {
  double working = 0, judging = 0;  // seconds
  int verdicts = 1;
};
// What a result says of every fit by these steps: whose rows and variables, found how, at what cost.
void describe_fit(Result& result, const Problem& stated, std::uint64_t seed, const FitCost& cost);

}  // namespace bridle
