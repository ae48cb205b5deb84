// Where a run's stages come from: the automatic rule, or parameters that the theory or the user fixes.
#pragma once

#include <memory>

#include "bridle/algorithms/registry.hpp"
#include "bridle/core/archive.hpp"
#include "bridle/params/automatic.hpp"
#include "bridle/run/options.hpp"

namespace bridle {

class Rule {
 public:
  virtual ~Rule() = default;
  virtual std::string name() const = 0;
  // The next stage, or nothing when the run is over.
  virtual std::optional<StagePlan> next(const OriginalState& state, const std::optional<StageReport>& last,
                                        double budget_left) = 0;
  // The whole budget, where it has become known better.
  virtual void expect(double /*budget*/) {}
  // Where the stage that comes next begins, in the units of its rows.
  virtual OriginalState start(const OriginalState& state) const { return state; }
  // The same objective and set with other rows from the next stage on.
  virtual void restate(const Problem& problem) = 0;
  // The problem in the units of a stage that was saved.
  virtual std::shared_ptr<const StandardForm> form_of(const Scaling& scaling) const = 0;
  virtual void save(ArchiveWriter& archive) = 0;
  virtual void load(ArchiveReader& archive) = 0;
};

std::unique_ptr<Rule> make_rule(const Problem& problem, const SolveOptions& options,
                                const AlgorithmDescription& algorithm, double budget, double cost);

}  // namespace bridle
