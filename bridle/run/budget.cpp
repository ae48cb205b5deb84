#include "bridle/run/budget.hpp"

#include <algorithm>
#include <cmath>

#include "bridle/core/error.hpp"

namespace bridle {
namespace {

constexpr double slice_seconds = 0.1;
constexpr double slice_growth = 8;            // at most, from one slice to the next
constexpr std::uint64_t common_slice = 1024;  // iterations, where processes must ask together

// Wall time to samples: a short timing of the gradient. The deadline itself is kept by the budget.
double samples_in(double seconds, const Problem& problem) {
  const Vector x = problem.starting_point();
  Vector gradient(x.size());
  const Index count = problem.objective().sample_count();
  const Stopwatch watch;
  std::uint64_t evaluations = 0;
  double elapsed = 0;
  while (elapsed < std::min(0.02, 0.02 * seconds)) {
    problem.objective().gradient(
        x, count == endless ? evaluations : evaluations % static_cast<std::uint64_t>(count), gradient);
    ++evaluations;
    elapsed = watch.seconds();
  }
  // The step around the gradient, the judge and the finish take about as long again.
  return 0.5 * seconds * static_cast<double>(evaluations) / elapsed;
}

}  // namespace

std::uint64_t Budget::work_off(std::uint64_t count, const std::function<void(std::uint64_t)>& work) {
  std::uint64_t done = 0;
  while (done < count) {
    const std::uint64_t slice =
        asking_ == Asking::together ? common_slice : static_cast<std::uint64_t>(slice_);
    const std::uint64_t now = std::min(std::max<std::uint64_t>(1, slice), count - done);
    const Stopwatch watch;
    work(now);
    done += now;
    const double taken = watch.seconds(), wanted = static_cast<double>(now) * slice_seconds;
    worked_off_ += now;
    work_seconds_ += taken;
    if (taken > slice_seconds || static_cast<double>(now) >= slice_)
      slice_ = std::clamp(wanted / std::max(taken, 1e-9), 1.0, slice_growth * static_cast<double>(now));
    if (done < count && stop()) break;
  }
  return done;
}

double choose_budget(const Problem& problem, const SolveOptions& options, double cost) {
  const Index count = problem.objective().sample_count();
  const auto positive = [](double v, const char* what) {
    if (!(v >= 0) || !std::isfinite(v))
      throw InputError(std::string(what) + " is " + std::to_string(v) + "; it must be a finite number >= 0");
    return v > 0;
  };
  if (options.batch < 1)
    throw InputError("the batch is " + std::to_string(options.batch) + "; it must be >= 1");
  if (!(options.tolerance >= 0) && options.tolerance != unsaid)
    throw InputError("the tolerance must be >= 0");
  positive(options.seconds, "the time limit");
  if (positive(options.samples, "the number of samples")) return std::max(cost, options.samples);
  if (positive(options.epochs, "the number of epochs")) {
    if (count == endless)
      throw InputError("epochs need a finite sum; this objective is an endless stream: give samples");
    return std::max(cost, options.epochs * static_cast<double>(count));
  }
  if (options.seconds > 0) return std::max(cost, samples_in(options.seconds, problem));
  if (count == endless) return 1e6;
  return count == 1 ? 2e5 : 30 * static_cast<double>(count);
}

}  // namespace bridle
