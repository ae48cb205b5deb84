// Rivals whose steps are none of the paper's verbs: x, y and z as plain vectors, the rows as they are
// (without the row metric). Everything that a run carries from step to step is in the state.
#pragma once

#include <utility>

#include "bridle/algorithms/method.hpp"
#include "bridle/algorithms/representations/drawn_batch.hpp"
#include "bridle/scaling/standard_form.hpp"

namespace bridle {

class VectorMethod : public Method {
 public:
  VectorMethod(const StandardForm& standard, Iterate start, const MethodSettings& settings)
      : form(standard),
        now(std::move(start)),
        gradient(Vector::Zero(standard.dimension())),
        activity(standard.rows()),
        slack_of_row(static_cast<std::size_t>(standard.rows()), -1),
        sampler_(standard.problem().objective().sample_count(), settings.sampling, settings.seed,
                 settings.worker),
        between_pieces_(settings.between_pieces),
        batch_(settings.batch),
        samples_(standard.problem().objective()),
        point_(standard.variables()) {
    for (std::size_t k = 0; k < standard.slack_rows().size(); ++k)
      slack_of_row[static_cast<std::size_t>(standard.slack_rows()[k])] = static_cast<Index>(k);
  }

  void run(const Stage& stage, std::uint64_t first, std::uint64_t count) override {
    StageWalk walk(stage, first);
    for (std::uint64_t t = first; t < first + count; ++t) step(walk.next(), t, stage.iterations);
  }
  void settle(Iterate& out) override { out = now; }
  void write_to(Iterate& out) const override { out = now; }
  void take_up(const Iterate& state) override { now = state; }

 protected:
  virtual void step(const Parameters& p, std::uint64_t t, std::uint64_t horizon) = 0;

  // gradient <- the mean of grad f(x, xi) over a batch of new samples
  void sample_gradient() {
    samples_.mean(batch_, Draw{*this}, gradient, [&](std::span<const Sample> samples, VectorRef out) {
      form.batch_gradient(now.x, samples, out, point_);
    });
  }
  // activity <- A x on the variables, without slacks
  void measure_activity() { activity.noalias() = form.matrix() * now.x.head(form.variables()); }
  // What row i may be: its right-hand side, or the point of [l, u] nearest to `value`.
  double nearest_allowed(Index i, double value) const {
    const Index k = slack_of_row[static_cast<std::size_t>(i)];
    if (k < 0) return form.right()[i];
    const double unit = form.slack_coefficient()[k];
    return unit * form.project_slack(k, value / unit);
  }
  // Slacks are no variables of these methods: they are put where the rows are.
  void place_slacks() {
    measure_activity();
    for (std::size_t k = 0; k < form.slack_rows().size(); ++k) {
      const auto slack = static_cast<Index>(k);
      now.x[form.variables() + slack] =
          form.project_slack(slack, activity[form.slack_rows()[k]] / form.slack_coefficient()[slack]);
    }
  }
  auto variables(Vector& v) const { return v.head(form.variables()); }

  const StandardForm& form;
  Iterate now;
  Vector gradient, activity;
  std::vector<Index> slack_of_row;  // or -1

 private:
  struct Draw {
    VectorMethod& method;
    Sample operator()() const { return method.sampler_(method.now.draws++); }
    void between_pieces() const {
      if (method.between_pieces_) method.between_pieces_();
    }
  };

  Sampler sampler_;
  std::function<void()> between_pieces_;
  Index batch_;
  DrawnBatch samples_;
  Vector point_;
};

// The outer loop of the inexact proximal point methods: rounds of sqrt(T) inner steps around a centre z.
struct ProximalRounds {
  explicit ProximalRounds(std::uint64_t horizon)
      : length(std::max<std::uint64_t>(
            1, static_cast<std::uint64_t>(std::sqrt(static_cast<double>(horizon))))) {}
  std::uint64_t position(std::uint64_t t) const { return t % length; }
  bool begins_at(std::uint64_t t) const { return position(t) == 0; }
  bool ends_after(std::uint64_t t) const { return position(t) + 1 == length; }
  std::uint64_t length;
};

}  // namespace bridle
