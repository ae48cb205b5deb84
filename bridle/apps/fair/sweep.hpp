// The trade-off curve: all bounds and seeds, in parallel, each run as if it were alone.
#pragma once

#include <functional>

#include "bridle/apps/fair/fit.hpp"

namespace bridle {

struct SweepOptions {
  std::vector<Bound> bounds;
  std::optional<RateStatement> rates = {};  // then the bounds are gaps of rates
  int seeds = 1;                            // options.seed, options.seed + 1, ...
  unsigned threads = 0;                     // 0: one per processor
  SolveOptions solve;
};

struct SweepRun {
  Bound bound;
  Fit fit;  // its weights and parameters too
};

struct Sweep {
  std::vector<Fit> free;       // without the bounds, one per seed
  std::vector<SweepRun> runs;  // bounds in order, seeds in order within a bound
  double seconds = 0;          // wall time
  unsigned threads = 1;
  bool interrupted = false;  // then `runs` has only what was finished
};

struct SweepWatch {
  std::function<void(std::size_t done, std::size_t total)> progress = [](std::size_t, std::size_t) {};
  std::function<bool()> interrupted = [] { return false; };  // asked from several threads
};

Sweep sweep(const FairProblem& problem, const FairData* test, const SweepOptions& options,
            const SweepWatch& watch = {});

// Mean and standard deviation over the seeds of one bound (0 with one seed).
struct Spread {
  double mean = 0, deviation = 0;
};
Spread spread_over(const std::vector<SweepRun>& runs, std::size_t first, std::size_t count,
                   const std::function<double(const Fit&)>& figure);

}  // namespace bridle
