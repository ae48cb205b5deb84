// How much a run may spend and has spent, and the one place that says "stop" on the way: for the clock's sake
// and for the user's. Samples run out where the rules have planned it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

#include "bridle/problem/problem.hpp"
#include "bridle/run/options.hpp"
#include "bridle/run/phases.hpp"

namespace bridle {

// What a run has spent so far; part of its checkpoint.
struct Spending {
  std::uint64_t iterations = 0;
  double samples = 0;              // sample gradients of the method, estimates included
  double certificate_samples = 0;  // and of the judge
  double seconds = 0;              // before the last resume
  PhaseTable phases = {};          // the same by phase

  template <class Archive>
  void transfer(Archive& archive) {
    archive(iterations, samples, certificate_samples, seconds, phases);
  }
};

// Measures time by a clock that is passed in, or by the machine's.
class Stopwatch {
 public:
  using Clock = std::function<double()>;
  explicit Stopwatch(Clock clock = {}) : clock_(std::move(clock)), start_(now()) {}
  double seconds() const { return now() - start_; }
  void restart() { start_ = now(); }

 private:
  double now() const {
    return clock_
               ? clock_()
               : std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }

  Clock clock_;
  double start_;
};

// What a run may spend: sample gradients, of which an iteration costs `cost`, and seconds of wall time (0: no
// limit), of which some were used before it began. An iteration touches at most so many `numbers`.
struct Allowance {
  double samples = 0, cost = 1, seconds = 0, seconds_used = 0, numbers = 1;
};

class Budget {
 public:
  // Processes that run together must ask the observer at the same iterations, whatever their clocks say;
  // those that execute workers ask when these have met.
  enum class Asking { by_the_clock, together, after_chunks };
  Budget(const Allowance& allowance, Observer& observer, Asking asking = Asking::by_the_clock,
         Stopwatch::Clock clock = {})
      : allowed_(allowance), observer_(observer), asking_(asking), watch_(std::move(clock)) {}

  double samples() const { return allowed_.samples; }
  bool has_deadline() const { return allowed_.seconds > 0; }
  // Of wall time, those before a resume included.
  double seconds() const { return spent.seconds + allowed_.seconds_used + watch_.seconds(); }
  // Until the deadline of the phase under way; infinite where there is none.
  double seconds_left() const {
    return has_deadline() ? allowed_.seconds - set_aside_ - seconds() : infinity;
  }
  // Until the deadline of the whole run.
  double seconds_left_of_all() const { return has_deadline() ? allowed_.seconds - seconds() : infinity; }
  // The phase under way has to leave so many of them for what comes after it.
  void set_aside(double seconds) { set_aside_ = seconds; }

  // Asks the user and the clock.
  bool stop() {
    interrupted_ = interrupted_ || observer_.interrupted();
    return interrupted_ || seconds_left() <= 0;
  }
  bool interrupted() const { return interrupted_; }
  // Of a sample gradient of the loop, on average since the start or the last resume; 0 before the first.
  double seconds_per_sample() const {
    return worked_off_ ? work_seconds_ / (static_cast<double>(worked_off_) * allowed_.cost) : 0;
  }
  // Sample gradients that the loop can still take before its deadline, at the speed it has had lately, looks
  // and visits of the judge included; infinite without a deadline, nothing before the first iteration.
  std::optional<double> samples_left_by_the_clock() const;
  // Another loop begins: its speed is its own.
  void forget_pace() { pace_.reset(); }

  // Does `count` iterations through work(n), n of them at a time, which returns how many it did: fewer where
  // it asked stop() by itself. Asks every tenth of a second whether to stop, and then leaves the rest.
  // Returns how many were done.
  std::uint64_t work_off(std::uint64_t count, const std::function<std::uint64_t(std::uint64_t)>& work);

  Spending spent;
  // The same with the time until now.
  Spending spent_until_now() const;

  // A phase has its turn until this is gone: the time that passes is its own. Whose turn it was before goes
  // on then. A run begins with its start.
  class Turn {
   public:
    Turn(Budget& budget, Phase phase) : budget_(budget), before_(budget.phase_) { budget.hand_over(phase); }
    ~Turn() { budget_.hand_over(before_); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    Budget& budget_;
    Phase before_;
  };
  [[nodiscard]] Turn turn(Phase phase) { return {*this, phase}; }

 private:
  void hand_over(Phase phase);

  Allowance allowed_;
  Observer& observer_;
  Asking asking_;
  Stopwatch watch_;
  double set_aside_ = 0;
  double slice_ = 1;  // iterations that take about a tenth of a second, as far as is known
  std::uint64_t worked_off_ = 0;
  double work_seconds_ = 0;
  // The speed is taken since `from`, which follows when `mark` is half way: a slow beginning is forgotten.
  struct Pace {
    struct Moment {
      double seconds, work_seconds;  // by the clock, and in iterations alone
      std::uint64_t iterations;
    };
    Moment begin, from, mark;
    std::uint64_t iterations = 0;
  };
  std::optional<Pace> pace_;
  bool interrupted_ = false;
  Phase phase_ = Phase::start;
  double turn_began_ = 0;
};

// What the user said, else 30 epochs, a million samples of a stream, or 200,000 full gradients; with a time
// limit alone as many samples as it may bear. `cost` is that of one iteration.
Allowance choose_budget(const Problem& problem, const SolveOptions& options, double cost);

// The budget is time and nothing else: samples are a guess then, and the clock decides.
bool follows_the_clock(const SolveOptions& options);

// Sample gradients that a time limit bears if half of it goes to them, by a short timing; infinite without
// one.
double samples_that_time_bears(const Problem& problem, const SolveOptions& options);

// Seconds that a pass over all samples may take, from short timings at the start: an upper bound where
// threads help.
double seconds_of_a_pass(const Problem& problem, const SolveOptions& options);

}  // namespace bridle
