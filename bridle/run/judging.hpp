// A run's dealings with the judge: when he is asked, what he is shown, and what he made of it.
#pragma once

#include "bridle/certify/certify.hpp"
#include "bridle/certify/infeasibility.hpp"
#include "bridle/certify/unboundedness.hpp"
#include "bridle/finish/finish.hpp"
#include "bridle/run/options.hpp"
#include "bridle/run/state.hpp"
#include "bridle/scaling/centring.hpp"

namespace bridle {

class Judging {
 public:
  // The user's problem is what is judged; the run may work in centred variables. Keeps the best and the
  // latest judged point, and the judge's samples, in `state`.
  Judging(const Problem& problem, const std::optional<Centring>& centring, const SolveOptions& options,
          double budget, RunState& state);

  // Shows a point in the run's variables; true when it is as good as the run wants it.
  bool show(const Candidate& candidate);
  // Is the best point so far?
  bool satisfied() const { return state_.best && good_enough(state_.best->certificate); }

  // No better than a model that answers the same to everything: never a reason to stop early.
  bool trivial(const JudgedPoint& point) const;

  // What to return of all that was shown: the smallest error. But among points that all meet the tolerance,
  // or all miss it with errors alike, one on the rows is preferred to one a little off them, and then one
  // with a clearly lower f.
  const JudgedPoint& choice() const;
  // The last word on the point that is returned.
  void confirm(JudgedPoint& point);

  // Samples between two visits, so that the judge costs at most a twentieth of the run.
  double interval() const;
  // Sample gradients of one full gradient, or of the batch that stands for it.
  double cost() const { return cost_; }
  // Full gradients that the finish may take.
  double finishing_gradients() const;
  // What the loop has to leave for them. A stream known through samples only needs large batches.
  double reserve() const;
  double seconds() const { return seconds_; }

  // The last touch: full gradients, charged to the run, are spent on candidates near the last point while
  // `more` says so.
  void finish(const LastPoint& last, const std::function<bool()>& more);

  // Shows the projection of a point that is good enough, but not on the rows.
  void meet_rows(const LastPoint& last);

  // Whether the constraints can be met at all, asked where the best point does not meet them. `y` is a guess.
  std::optional<Infeasibility> infeasibility(const Vector& y) const;
  // Whether f falls without end, asked where no point is good enough. The run went from `start` to `last`.
  std::optional<Unboundedness> unboundedness(const Vector& start, const Vector& last) const;

 private:
  bool compares_on_batches() const { return samples_only_ && !problem_.stochastic_rows(); }
  JudgedPoint judge(const Vector& x, const Vector& y, bool thoroughly);
  const Judge& judge_for(bool thoroughly);
  double alike(double error) const;
  double error_of(const JudgedPoint& point) const { return point.certificate.error(); }
  double goal() const;
  bool good_enough(const Certificate& certificate) const;

  const Problem& problem_;
  const std::optional<Centring>& centring_;
  const SolveOptions& options_;
  double budget_;
  RunState& state_;
  bool samples_only_;  // neither grad f nor its mean over a finite sum can be had
  double cost_;
  std::optional<Judge> quick_, thorough_;  // made when they are first asked
  mutable std::optional<double> constant_loss_;
  double seconds_ = 0;
};

}  // namespace bridle
