// Stages for a problem with smooth rows: another rule's, cut into pieces. At the start of each piece the rows
// are linearised where x is, and the algorithm runs on linear rows as it always does.
// docs/smooth-constraints.md has the formulas.
#pragma once

#include <functional>

#include "bridle/run/rule.hpp"

namespace bridle {

class LinearisedRule final : public Rule {
 public:
  using MakeRule = std::function<std::unique_ptr<Rule>(const Problem& linear)>;
  // `cost`: sample gradients of an iteration.
  LinearisedRule(const Problem& stated, double cost, const MakeRule& make);

  std::string name() const override { return inner_->name(); }
  std::optional<StagePlan> next(const OriginalState& state, const std::optional<StageReport>& last,
                                double budget_left) override;
  OriginalState start(const OriginalState& state) const override;
  void expect(double budget) override { inner_->expect(budget); }
  void restate(const Problem& problem) override;
  std::shared_ptr<const StandardForm> form_of(const Scaling& scaling) const override {
    return inner_->form_of(scaling);
  }
  void save(ArchiveWriter& archive) override;
  void load(ArchiveReader& archive) override;

 private:
  void move_to(const OriginalState& state);
  bool believable(const Vector& x, const SmoothPoint& there);
  void linearise();
  StagePlan piece();

  Problem stated_;
  std::uint64_t piece_length_;  // iterations
  std::unique_ptr<Rule> inner_;
  // The stage that is under way, whole, and how much of it has been handed out.
  std::optional<StagePlan> whole_;
  std::uint64_t handed_out_ = 0;
  // Where the rows are linearised: the point, what the smooth rows are there, and the share of the whole step
  // that their linear model is trusted with.
  OriginalState anchor_;
  SmoothPoint at_;
  Problem linear_;
  bool begun_ = false;
  double theta_ = 1;
};

}  // namespace bridle
