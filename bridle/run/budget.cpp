#include "bridle/run/budget.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "bridle/core/error.hpp"

namespace bridle {
namespace {

constexpr double slice_seconds = 0.1, slice_share = 0.02;  // of a time limit
constexpr double slice_growth = 8;                         // at most, from one slice to the next
// Where processes must ask together: iterations, and the numbers that these may touch, some tens of
// milliseconds.
constexpr double longest_common_slice = 1024, common_numbers = 2e7;
constexpr double timing_seconds = 0.02, timing_share = 0.02;
constexpr int timings = 3;                 // of a batch
constexpr double share_that_tells = 0.05;  // of a time limit: how much of it looks take

// Of one sample gradient, from a short timing.
double seconds_of_a_sample(const Problem& problem, const SolveOptions& options) {
  const Vector x = problem.starting_point();
  Vector gradient(x.size());
  const Index count = problem.objective().sample_count();
  const Stopwatch watch(options.clock);
  std::uint64_t evaluations = 0;
  double elapsed = 0;
  while (elapsed < std::min(timing_seconds, timing_share * options.seconds) && evaluations < 1'000'000) {
    problem.objective().gradient(
        x, count == endless ? evaluations : evaluations % static_cast<std::uint64_t>(count), gradient);
    ++evaluations;
    elapsed = watch.seconds();
  }
  return std::max(elapsed, 1e-9) / static_cast<double>(evaluations);
}

}  // namespace

std::optional<double> Budget::samples_left_by_the_clock() const {
  if (!has_deadline()) return infinity;
  if (!pace_ || pace_->iterations == 0) return {};
  // A visit of the judge must not be taken for the rule: the speed is that of iterations lately, for the part
  // of the time that these have had since the loop began. At first they alone count.
  const double by_clock = watch_.seconds() - pace_->begin.seconds;
  const double worked = work_seconds_ - pace_->begin.work_seconds;
  const double share = by_clock >= share_that_tells * allowed_.seconds ? worked / by_clock : 1;
  const auto done = static_cast<double>(pace_->iterations - pace_->from.iterations);
  const double taken = work_seconds_ - pace_->from.work_seconds;
  const double speed = share * done * allowed_.cost / std::max(taken, 1e-9);
  return std::max(0.0, seconds_left()) * speed;
}

std::uint64_t Budget::work_off(std::uint64_t count, const std::function<std::uint64_t(std::uint64_t)>& work) {
  if (!pace_) {
    const Pace::Moment now{watch_.seconds(), work_seconds_, 0};
    pace_ = Pace{now, now, now};
  }
  const double slice_time =
      has_deadline() ? std::min(slice_seconds, slice_share * allowed_.seconds) : slice_seconds;
  std::uint64_t done = 0;
  while (done < count) {
    const double slice = asking_ == Asking::together
                             ? std::min(longest_common_slice, common_numbers / allowed_.numbers)
                             : slice_;
    const std::uint64_t now =
        asking_ == Asking::after_chunks
            ? count
            : std::min(std::max<std::uint64_t>(1, static_cast<std::uint64_t>(slice)), count - done);
    const double before = watch_.seconds();
    const std::uint64_t whole = work(now);
    done += whole;
    if (whole < now) break;  // what was left unfinished tells nothing of the speed
    const double taken = watch_.seconds() - before, wanted = static_cast<double>(now) * slice_time;
    worked_off_ += now;
    pace_->iterations += now;
    work_seconds_ += taken;
    // A slice that was not cut short by the end of the chunk tells how long the next may be.
    if (taken > slice_time || static_cast<double>(now + 1) > slice_)
      slice_ = std::clamp(wanted / std::max(taken, 1e-9), 1.0, slice_growth * static_cast<double>(now));
    if (done < count && stop()) break;
  }
  const double time = watch_.seconds();
  if (time - pace_->mark.seconds >= pace_->mark.seconds - pace_->from.seconds)
    pace_->from = std::exchange(pace_->mark, {time, work_seconds_, pace_->iterations});
  return done;
}

Spending Budget::spent_until_now() const {
  Spending out = spent;
  out.seconds = seconds() - allowed_.seconds_used;
  out.phases[phase_].seconds += watch_.seconds() - turn_began_;
  return out;
}

void Budget::hand_over(Phase phase) {
  const double now = watch_.seconds();
  spent.phases[phase_].seconds += now - turn_began_;
  turn_began_ = now;
  phase_ = phase;
}

bool follows_the_clock(const SolveOptions& options) {
  return options.seconds > 0 && options.samples == 0 && options.epochs == 0;
}

// The step around the gradient, the judge and the finish take about as long again.
double samples_that_time_bears(const Problem& problem, const SolveOptions& options) {
  return options.seconds > 0 ? 0.5 * options.seconds / seconds_of_a_sample(problem, options) : infinity;
}

// Batches that grow until one takes long enough to be timed: a single gradient of sparse data would mostly
// tell what it takes to write all variables. Other programs have their moments: what counts is the quickest
// of some, each elsewhere in the data.
double seconds_of_a_pass(const Problem& problem, const SolveOptions& options) {
  const AnyObjective& objective = problem.objective();
  const Index count = objective.sample_count();
  if (count == endless) return seconds_of_a_sample(problem, options);
  if (objective.spread_over_processes())  // all of them must time the same number of gradients
    return static_cast<double>(count) * seconds_of_a_sample(problem, options);
  const Vector x = problem.starting_point();
  Vector gradient(x.size());
  std::vector<Sample> batch;
  Sample next = 0;
  const Stopwatch watch(options.clock);
  const auto time_batch = [&](std::size_t size) {
    batch.resize(size);
    for (Sample& sample : batch) sample = next++ % static_cast<Sample>(count);
    const double before = watch.seconds();
    objective.batch_gradient(x, batch, gradient);
    return watch.seconds() - before;
  };
  const int times = objective.as_linear_model() ? timings : 1;  // others may be slow
  const double enough = 0.5 / times * std::min(timing_seconds, timing_share * options.seconds);
  const auto all = static_cast<std::size_t>(count);
  double taken = 0;
  while (taken < enough && batch.size() < all) {
    const std::size_t size = std::min(all, std::max<std::size_t>(1, 2 * batch.size()));
    taken = time_batch(size);
    for (int k = 1; k < times && taken >= enough; ++k) taken = std::min(taken, time_batch(size));
  }
  return static_cast<double>(count) * std::max(taken, 1e-9) / static_cast<double>(batch.size());
}

Allowance choose_budget(const Problem& problem, const SolveOptions& options, double cost) {
  const Index count = problem.objective().sample_count();
  const auto positive = [](double v, const char* what) {
    if (!(v >= 0) || !std::isfinite(v))
      throw InputError(std::string(what) + " is " + std::to_string(v) + "; it must be a finite number >= 0");
    return v > 0;
  };
  if (options.batch < 0)
    throw InputError("the batch is " + std::to_string(options.batch) + "; it must be >= 1");
  if (!(options.tolerance >= 0) && options.tolerance != unsaid)
    throw InputError("the tolerance must be >= 0");
  positive(options.seconds, "the time limit");
  const auto samples = [&]() -> double {
    if (positive(options.samples, "the number of samples")) return options.samples;
    if (positive(options.epochs, "the number of epochs")) {
      if (count == endless)
        throw InputError("epochs need a finite sum; this objective is an endless stream: give samples");
      return options.epochs * static_cast<double>(count);
    }
    if (options.seconds > 0) return samples_that_time_bears(problem, options);
    if (count == endless) return 1e6;
    return count == 1 ? 2e5 : 30 * static_cast<double>(count);
  };
  return {std::max(cost, samples()), cost, options.seconds, options.seconds_used,
          cost * static_cast<double>(std::max<Index>(1, problem.dimension()))};
}

}  // namespace bridle
