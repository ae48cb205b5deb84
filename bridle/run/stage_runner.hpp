// A stage of a run: the problem in its standard form, the method on it, and the watch that is kept.
#pragma once

#include <memory>

#include "bridle/algorithms/registry.hpp"
#include "bridle/params/batch.hpp"
#include "bridle/run/options.hpp"
#include "bridle/run/state.hpp"

namespace bridle {

class StageRunner {
 public:
  // `cost`: sample gradients of an iteration, of all workers. The stage is kept in `state`.
  StageRunner(const AlgorithmDescription& algorithm, const SolveOptions& options, Index workers, double cost,
              StageState& state, BatchChoice batch = {})
      : algorithm_(algorithm),
        options_(options),
        workers_(workers),
        batch_(std::move(batch)),
        cost_(cost),
        state_(state) {}

  // Begins the stage of a plan at `from`; what it costs before its first iteration is charged to the budget.
  void open(const StagePlan& plan, const OriginalState& from, Budget& budget);
  // Takes up a stage that was saved.
  void take_up(std::shared_ptr<const StandardForm> form);

  bool over() const { return state_.done >= state_.stage.iterations; }
  void give_up() { state_.done = state_.stage.iterations; }
  // Runs to the end of the chunk, which depends on nothing but the stage, and `at_most` that many
  // iterations. False when the budget said stop on the way: the state is then that of the last chunk's end.
  bool advance(std::uint64_t at_most, Budget& budget);

  // Chunks of at most so many iterations.
  void limit_chunks(std::uint64_t iterations) { longest_ = std::max<std::uint64_t>(1, iterations); }
  // The rest of the stage gets so many iterations; its schedule is at `progress` now, and ends where it would
  // have.
  void replan(double rest, double progress);
  // The method may get ready for the iterations that are left; true where that took time.
  bool expect_rest();

  // Where the method is now.
  const Iterate& iterate() const { return loose_ ? *loose_ : state_.iterate; }
  // Nothing blew up.
  bool sound() const;
  OriginalState in_original_units() const;
  const StandardForm& form() const { return *form_; }
  bool has_form() const { return form_ != nullptr; }
  // Of the stage that was opened last: what makes its steps dear; empty when nothing does.
  const std::string& warning() const { return warning_; }

  void keep_watch();
  StageReport report() const;
  // What was spent after the last chunk's end is no part of a checkpoint: takes it off again.
  void take_off_loose(Spending& spent) const { charge(-static_cast<double>(loose_count_), spent); }

 private:
  // So many iterations.
  void charge(double iterations, Spending& spent) const;
  void charge_first_estimate(Budget& budget);
  void choose_dual_bound(const StandardForm& form, const Vector& v);
  void build_method(const Representation& representation);
  // Runs iterations first, first + 1, ... of the stage. Those of large batches ask the budget on the way, and
  // one that is told to stop is taken back. Returns how many were done.
  std::uint64_t run(std::uint64_t first, std::uint64_t count, Budget& budget);
  std::uint64_t chunk_length() const;

  const AlgorithmDescription& algorithm_;
  const SolveOptions& options_;
  Index workers_;
  BatchChoice batch_;
  double cost_;
  StageState& state_;
  std::shared_ptr<const StandardForm> form_;
  std::unique_ptr<Method> method_;
  bool asks_in_batches_ = false;
  Budget* asked_ = nullptr;  // while iterations are run
  std::optional<Iterate> loose_;
  std::uint64_t loose_count_ = 0;
  std::uint64_t longest_ = ~std::uint64_t{0};
  std::string warning_;
};

}  // namespace bridle
