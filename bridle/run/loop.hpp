// The loop of a run: stages that a rule plans, chunks of iterations, looks, checkpoints.
#pragma once

#include "bridle/run/driver.hpp"
#include "bridle/run/parts.hpp"
#include "bridle/run/progress.hpp"
#include "bridle/run/rule.hpp"

namespace bridle {

class Loop final : public Work {
 public:
  explicit Loop(RunParts& run);

  // From the start, or from a checkpoint.
  void begin();
  // A second loop, after the second-order phase, of what the state says of it.
  void begin_again();

  bool open_stage() override;
  bool stage_is_over() const override { return run_.runner.over(); }
  bool advance() override;
  bool look() override;
  void tell() override;
  void save(bool last) override;
  void close_stage() override;

 private:
  void restore(const std::string& payload);
  void keep_random_output();
  void note_dependent_rows(const StandardForm& form);

  RunParts& run_;
  double end_;  // samples spent when it ends: the closing needs some, and the second-order phase
  std::unique_ptr<Rule> rule_;
  ProgressRows progress_;
  std::uint64_t random_time_;  // the theory's t*
  std::uint64_t fingerprint_ = 0;
  Stopwatch since_save_;
  bool warned_ = false;  // that a checkpoint could not be written
};

// The method's state at a point.
OriginalState state_at(const Problem& problem, const Vector& x, const Vector& multipliers);

}  // namespace bridle
