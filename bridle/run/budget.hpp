// How much a run may spend and has spent, and the one place that says "stop" on the way: for the clock's sake
// and for the user's. Samples run out where the rules have planned it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include "bridle/problem/problem.hpp"
#include "bridle/run/options.hpp"

namespace bridle {

// What a run has spent so far; part of its checkpoint.
struct Spending {
  std::uint64_t iterations = 0;
  double samples = 0;              // sample gradients of the method, estimates included
  double certificate_samples = 0;  // and of the judge
  double seconds = 0;              // before the last resume

  template <class Archive>
  void transfer(Archive& archive) {
    archive(iterations, samples, certificate_samples, seconds);
  }
};

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  void restart() { start_ = std::chrono::steady_clock::now(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

class Budget {
 public:
  // Processes that run together must ask the observer at the same iterations, whatever their clocks say.
  enum class Asking { by_the_clock, together };
  // `samples` sample gradients, `cost` of them an iteration; `seconds` of wall time, 0: no limit.
  Budget(double samples, double cost, double seconds, Observer& observer,
         Asking asking = Asking::by_the_clock)
      : samples_(samples), cost_(cost), limit_(seconds), observer_(observer), asking_(asking) {}

  double samples() const { return samples_; }
  // Of wall time, those before a resume included.
  double seconds() const { return spent.seconds + watch_.seconds(); }

  // Asks the user and the clock.
  bool stop() {
    interrupted_ = interrupted_ || observer_.interrupted();
    return interrupted_ || out_of_time();
  }
  bool interrupted() const { return interrupted_; }
  // Of a sample gradient of the loop, on average since the start or the last resume; 0 before the first.
  double seconds_per_sample() const {
    return worked_off_ ? work_seconds_ / (static_cast<double>(worked_off_) * cost_) : 0;
  }

  // Does `count` iterations through work(n), n of them at a time; asks every tenth of a second whether to
  // stop, and then leaves the rest. Returns how many were done.
  std::uint64_t work_off(std::uint64_t count, const std::function<void(std::uint64_t)>& work);

  Spending spent;

 private:
  bool out_of_time() const { return limit_ > 0 && seconds() > limit_; }

  double samples_, cost_, limit_;
  Observer& observer_;
  Asking asking_;
  Stopwatch watch_;
  double slice_ = 1;  // iterations that take about a tenth of a second, as far as is known
  std::uint64_t worked_off_ = 0;
  double work_seconds_ = 0;
  bool interrupted_ = false;
};

// The budget in sample gradients: what the user said, else 30 epochs, a million samples of a stream, or
// 200,000 full gradients. `cost` is that of one iteration.
double choose_budget(const Problem& problem, const SolveOptions& options, double cost);

}  // namespace bridle
