// Of a run that takes several rounds one row is the result: what a round ends with is held back until it is
// known whether another one follows, and is then told as the end of a round.
#pragma once

#include <cmath>
#include <optional>
#include <utility>

#include "bridle/run/options.hpp"

namespace bridle {

class RoundEnds final : public Observer {
 public:
  explicit RoundEnds(Observer& user) : user_(user) {}

  void started(const RunInfo& info) override { user_.started(info); }
  void stage(int number, const Stage& stage, const Reasons& reasons) override {
    user_.stage(number, stage, reasons);
  }
  void event(const std::string& text) override { user_.event(text); }
  void warning(const std::string& text) override { user_.warning(text); }
  void progress(const Progress& row) override {
    if (row.phase == "result")
      held_ = row;
    else if (!is_told(row))
      user_.progress(row);
  }
  Wants wants() override { return user_.wants(); }
  bool interrupted() override { return user_.interrupted(); }

  // Another round follows.
  void go_on() {
    if (!held_) return;
    told_ = std::exchange(held_, std::nullopt);
    told_->phase = "round";
    told_->seconds_left = std::nan("");
    user_.progress(*told_);
  }
  // None does.
  void end() {
    if (held_) user_.progress(*std::exchange(held_, std::nullopt));
  }
  // Or the result is what another round had ended with.
  const std::optional<Progress>& held() const { return held_; }
  void end_with(const std::optional<Progress>& row) {
    held_ = row;
    end();
  }

 private:
  // A round begins with the point that the last one ended with.
  bool is_told(const Progress& row) const {
    return told_ && row.phase != "loop" && row.samples == told_->samples && row.objective == told_->objective;
  }

  Observer& user_;
  std::optional<Progress> held_, told_;
};

}  // namespace bridle
