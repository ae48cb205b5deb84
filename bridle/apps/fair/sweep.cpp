#include "bridle/apps/fair/sweep.hpp"

#include <cmath>
#include <mutex>

#include "bridle/core/threads.hpp"
#include "bridle/run/budget.hpp"

namespace bridle {
namespace {

class StopOnly final : public Observer {
 public:
  StopOnly(const SweepWatch& watch, Wants wants) : watch_(watch), wants_(wants) {}
  Wants wants() override { return wants_; }
  bool interrupted() override { return watch_.interrupted(); }

 private:
  const SweepWatch& watch_;
  Wants wants_;
};

}  // namespace

Sweep sweep(const FairProblem& problem, const FairData* test, const SweepOptions& options,
            const SweepWatch& watch) {
  const Stopwatch clock;
  const auto seeds = static_cast<std::size_t>(options.seeds);
  const std::size_t total = seeds * (options.bounds.size() + 1);
  Sweep out;
  out.threads = threads_asked_for(options.threads);
  out.free.resize(seeds);
  std::vector<SweepRun> runs(seeds * options.bounds.size());
  std::size_t done = 0;
  std::mutex progress_lock;
  const auto run = [&](const Bound* bound, const Vector& free, std::size_t seed) {
    SolveOptions solve_options = options.solve;
    solve_options.seed += seed;
    // Reports show the history of one run of each bound.
    StopOnly observer(watch, bound && seed == 0 ? Observer::Wants::progress : Observer::Wants::nothing);
    Fit fitted;
    if (bound && options.rates) {
      RateStatement request = *options.rates;
      request.gap = bound->value;
      fitted = fit_to_rates(problem, test, request, solve_options, &observer);
    } else {
      const Vector bounds = bound ? problem.resolve(BoundList(*bound), free) : Vector();
      fitted = fit(problem, test, bounds, solve_options, &observer);
    }
    const std::lock_guard lock(progress_lock);
    watch.progress(++done, total);
    return fitted;
  };
  in_parallel(seeds, out.threads, [&](std::size_t seed) { out.free[seed] = run(nullptr, {}, seed); });
  in_parallel(runs.size(), out.threads, [&](std::size_t k) {
    if (watch.interrupted()) return;
    const std::size_t seed = k % seeds;
    runs[k].bound = options.bounds[k / seeds];
    runs[k].fit = run(&runs[k].bound, problem.covariances(out.free[seed].result.x), seed);
  });
  out.interrupted = watch.interrupted();
  for (auto& one : runs)
    if (one.fit.result.x.size() > 0) out.runs.push_back(std::move(one));
  out.seconds = clock.seconds();
  return out;
}

Spread spread_over(const std::vector<SweepRun>& runs, std::size_t first, std::size_t count,
                   const std::function<double(const Fit&)>& figure) {
  Spread out;
  for (std::size_t k = first; k < first + count; ++k) out.mean += figure(runs[k].fit);
  out.mean /= static_cast<double>(count);
  for (std::size_t k = first; k < first + count; ++k)
    out.deviation += std::pow(figure(runs[k].fit) - out.mean, 2);
  out.deviation = count > 1 ? std::sqrt(out.deviation / static_cast<double>(count - 1)) : 0;
  return out;
}

}  // namespace bridle
