#include "bridle/apps/slicing/margin.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

namespace bridle {
namespace {

constexpr double step = 0.01, largest_margin = 0.95;
constexpr int most_looks = 5;
constexpr double share_of_a_trial = 0.25;  // of the time that is left

class MarginSearch {
 public:
  MarginSearch(const SliceInstance& instance, const UncertainDemand& demand, double most,
               const SliceOptions& options, const SliceWatch& watch, SliceObjective objective)
      : instance_(instance),
        demand_(demand),
        most_(most),
        options_(options),
        watch_(watch),
        objective_(objective) {
    const auto count = static_cast<double>(demand.trial_count(TrialRates::rehearsal));
    goal_ = std::max(0.0, most - 2 * std::sqrt(most * (1 - most) / count));
  }

  MarginChoice execute() {
    search();
    out_.broken_off = over();
    out_.result.seconds = seconds();
    return std::move(out_);
  }

 private:
  enum class Answer { too_small, good, too_large };

  void search() {
    double low = -step;  // too small, or below 0
    for (;;) {
      if (!narrow(low)) return give_up();
      settle();
      ++out_.looks;
      out_.overload = measure_overload(instance_, out_.result.plan, demand_, options_.seed + out_.looks - 1);
      out_.kept = out_.overload->any <= most_;
      if (out_.kept || out_.looks >= most_looks || over()) return;
      low = out_.margin;  // what the rehearsal promised does not hold: further on
    }
  }

  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  bool over() const {
    return watch_.interrupted() || (options_.time_limit > 0 && seconds() >= options_.time_limit);
  }

  Answer attempt(double margin, SliceOptions options) {
    if (options_.time_limit > 0)
      options.time_limit = share_of_a_trial * std::max(1e-3, options_.time_limit - seconds());
    last_ = slice_for(planning_instance(instance_, demand_, margin), objective_, options, quiet(), &demand_);
    MarginTrial trial{margin};
    if (last_.feasible()) {
      trial.cost = last_.verdict.cost;
      trial.share =
          measure_overload(instance_, last_.plan, demand_, options_.seed, TrialRates::rehearsal).any;
    }
    out_.trials.push_back(trial);
    watch_.note(last_.feasible()
                    ? fmt::format("margin {:.2f}: cost {:.6g}, overloaded in {:.2f}% of the rehearsal",
                                  margin, trial.cost, 100 * trial.share)
                    : fmt::format("margin {:.2f}: no plan", margin));
    if (!last_.feasible()) return Answer::too_large;
    if (!least_ || trial.share < least_share_) {
      least_ = last_;
      least_share_ = trial.share;
      least_margin_ = margin;
    }
    return trial.share <= goal_ ? Answer::good : Answer::too_small;
  }

  // The smallest margin above `low` that is good; its plan is the choice so far.
  bool narrow(double low) {
    SliceOptions quick = options_;
    quick.runs = 1;
    bool found = false;
    double high = 1;
    const auto look = [&](double margin) {
      const Answer answer = attempt(margin, quick);
      (answer == Answer::too_small ? low : high) = margin;
      if (answer != Answer::good) return;
      found = true;
      out_.margin = margin;
      out_.result = std::move(last_);
    };
    double wide = 0.1;
    for (double next = std::max(0.1, low + step); high >= 1 && next <= largest_margin && !over();
         next = low + (wide *= 2))
      look(std::round(next / step) * step);
    high = std::min(high, largest_margin + step);
    while (high - low > 1.5 * step && !over()) look(std::round(0.5 * (low + high) / step) * step);
    return found;
  }

  // All runs at the margin that one run has found; their plan counts if it is good too.
  void settle() {
    if (options_.runs <= 1 || over()) return;
    if (attempt(out_.margin, options_) == Answer::good && last_.value() <= out_.result.value())
      out_.result = std::move(last_);
  }

  void give_up() {
    if (out_.overload) return;  // a plan that was looked at
    out_.result = least_ ? std::move(*least_) : std::move(last_);
    out_.margin = least_margin_;
    if (!out_.result.feasible()) return;
    ++out_.looks;
    out_.overload = measure_overload(instance_, out_.result.plan, demand_, options_.seed);
    out_.kept = out_.overload->any <= most_;
  }

  SliceWatch quiet() const {
    SliceWatch out;
    out.interrupted = watch_.interrupted;
    return out;
  }

  const SliceInstance& instance_;
  const UncertainDemand& demand_;
  double most_, goal_;
  const SliceOptions& options_;
  const SliceWatch& watch_;
  SliceObjective objective_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  MarginChoice out_;
  SliceResult last_;
  std::optional<SliceResult> least_;
  double least_share_ = 1, least_margin_ = 0;
};

}  // namespace

MarginChoice choose_margin(const SliceInstance& instance, const UncertainDemand& demand, double most,
                           const SliceOptions& options, const SliceWatch& watch, SliceObjective objective) {
  return MarginSearch(instance, demand, most, options, watch, objective).execute();
}

}  // namespace bridle
