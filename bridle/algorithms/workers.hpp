// W workers, each with a fixed share of the samples: in a round every worker runs the algorithm on its share,
// from the state that all have in common; after the round the states are averaged. Threads and processes only
// execute workers: how many there are changes no bit.
#pragma once

#include <memory>
#include <vector>

#include "bridle/algorithms/representation.hpp"
#include "bridle/core/processes.hpp"

namespace bridle {

// What a round costs, from stated constants and never from a clock, so that runs can be repeated: iterations,
// of which each touches so many numbers, beside which an average of a state of so many takes a tenth of the
// time.
std::uint64_t paying_round(double state_numbers, double touched);

struct WorkerSettings {
  Index count = 1;     // W; worker k has the k-th of W shares of the samples
  double touched = 0;  // numbers that an iteration of one worker touches; 0: all variables
  std::shared_ptr<const Processes> team = {};  // that execute workers; null: this one executes all
};

class Workers final : public Method {
 public:
  // `settings`: of the run. The dual safeguard acts on the average.
  Workers(const StandardForm& form, const Representation& representation, const Stage& stage,
          const Iterate& start, const MethodSettings& settings, const WorkerSettings& workers);

  void run(const Stage& stage, std::uint64_t first, std::uint64_t count) override;
  void settle(Iterate& out) override;
  void write_to(Iterate& out) const override;
  void take_up(const Iterate& state) override;
  bool expect(std::uint64_t iterations) override {
    bool any = false;
    for (const auto& method : methods_) any = method->expect(iterations) || any;
    return any;
  }

  std::uint64_t round() const { return common_.round; }

 private:
  // A state as a column of numbers, and two figures of it behind them.
  struct Layout;
  struct Average {
    Iterate state;
    double drift;  // mean square of the distances from the average, over the square of the way it has come
  };
  void write_column(const Iterate& state, Eigen::Ref<Vector> column) const;
  // Of what the workers of all processes have written down.
  Average average(const std::vector<Iterate>& states) const;
  // column 0 <- the sum over the workers of all processes
  void sum_over_workers(Matrix& columns) const;
  // Ends the round.
  void meet();
  unsigned threads() const;

  const StandardForm& form_;
  Shares workers_;  // which process executes which of them
  double dual_bound_;
  bool box_;                                            // X is one
  std::uint64_t paying_ = 0, least_ = 1, longest_ = 1;  // iterations of a round
  // Of the workers that are hosted here:
  std::vector<std::unique_ptr<const StandardForm>> forms_;
  std::vector<std::unique_ptr<Method>> methods_;
  std::vector<Iterate> states_;  // as written at the end of a round
  Iterate common_;               // where the round has begun
  std::uint64_t since_ = 0;      // iterations of the round so far
  bool behind_ = false;          // the methods have yet to take the common state up
};

}  // namespace bridle
