// What the judge has seen of a run, and which point is best: when he is asked, what he is shown, and what he
// made of it.
#pragma once

#include "bridle/certify/certify.hpp"
#include "bridle/finish/finish.hpp"
#include "bridle/oracle/oracle.hpp"
#include "bridle/run/options.hpp"
#include "bridle/run/state.hpp"
#include "bridle/scaling/centring.hpp"

namespace bridle {

// Samples that stand for a full gradient of a stream known through samples only, of a budget of so many.
// `bearable`: samples that a time limit bears, by a short timing; infinite without one.
Index standing_batch(double budget, double bearable = infinity);

// The user's problem, which is judged, and the one the run works on, which may have centred variables.
struct RunProblem {
  Problem user;
  std::optional<Problem> share = {};  // some samples, where the time does not bear all (outlook.hpp)
  bool quick_judge = false;           // nor a look at all
  std::optional<Centring> centring = {};

  const Problem& working() const { return centring ? centring->problem() : share ? *share : user; }
  // Samples that the run works on, over those that there are.
  double part() const {
    return share ? static_cast<double>(share->objective().sample_count()) /
                       static_cast<double>(user.objective().sample_count())
                 : 1;
  }
  Vector to_user(Vector x) const {
    if (centring) centring->to_user(x);
    return x;
  }
  Vector from_user(Vector x) const {
    if (centring) centring->from_user(x);
    return x;
  }
};

class Candidates {
 public:
  // Charges the judge's samples to `budget` and keeps what he has seen in `judged`.
  Candidates(const RunProblem& problem, const SolveOptions& options, Budget& budget, const Oracle& oracle,
             JudgedPoints& judged);

  // Shows a point in the run's variables; true when it is as good as the run wants it.
  bool show(const Candidate& candidate, FoundBy found_by);
  // The same of some points in about half a second whatever the size of the data: on a sample of it where
  // that is needed. Returns how many samples were looked at, or 0 for all.
  Index show_quickly(const std::vector<std::pair<Candidate, FoundBy>>& candidates, double seconds);

  // `watch` is told of every point that the judge has seen.
  void tell(std::function<void(const JudgedPoint&)> watch) { watch_ = std::move(watch); }

  // The judge comes so often that he costs at most a twentieth of the run.
  bool visit_is_due() const { return budget_.spent.samples >= judged_.next_visit; }
  void plan_next_visit();

  // As good as the run wants it: the best point so far; a certificate.
  bool satisfied() const {
    return judged_.best && good_enough(judged_.best->certificate) && !trivial(*judged_.best);
  }
  double goal() const;
  // What a certificate is compared with. A run may come to expect less, or more, than it did.
  double tolerance() const { return judged_.tolerance; }
  void expect(double tolerance) { judged_.tolerance = tolerance; }
  // No better than a model that answers the same to everything: never a reason to stop early.
  bool trivial(const JudgedPoint& point) const;

  // What to return of all that was shown: the smallest error (of a stream without the interval of the batch,
  // which is not the point's). But among points that all meet the tolerance,
  // or all miss it with errors alike, one on the rows is preferred to one a little off them, and then one
  // with a clearly lower f. Without a finish the smallest error, and nothing else.
  const JudgedPoint& choice() const;
  // The last word on the point that is returned: of a stream on fresh samples, many of them or as many as a
  // time limit bears.
  void confirm(JudgedPoint& point);
  Index samples_of_the_last_word() const;
  // What that will take as far as is known; 0 where there is nothing to say that has not been said.
  double seconds_of_the_last_word() const;

  // Neither grad f nor its mean over a finite sum can be had.
  bool samples_only() const { return samples_only_; }
  // That the judge has taken, before a resume too; and for one point, 0 before the first.
  double seconds() const { return budget_.spent.phases[Phase::judge].seconds; }
  double seconds_of_a_visit() const { return visits_ > 0 ? seconds_ / visits_ : 0; }
  const JudgedPoints& judged() const { return judged_; }

 private:
  double samples_worth_a_pass() const;
  bool compares_on_batches() const { return samples_only_ && !problem_.user.stochastic_rows(); }
  JudgedPoint judge(const Vector& x, const Vector& y, FoundBy found_by, bool thoroughly);
  void charge(double gradients, bool samples);
  const Judge& judge_for(bool thoroughly);
  bool take(JudgedPoint point);
  bool alike(const JudgedPoint& one, const JudgedPoint& best) const;
  double error_of(const JudgedPoint& point) const { return point.certificate.error(); }
  double estimate_of(const JudgedPoint& point) const { return point.certificate.estimate(); }
  bool better(const JudgedPoint& one, const JudgedPoint& other) const;
  bool good_enough(const Certificate& certificate) const { return certificate.error() <= goal(); }

  const RunProblem& problem_;
  const SolveOptions& options_;
  Budget& budget_;
  JudgedPoints& judged_;
  bool samples_only_;
  double pass_cost_;
  std::optional<Judge> quick_, thorough_;  // made when they are first asked
  mutable std::optional<double> constant_loss_;
  double seconds_ = 0, seen_ = 0;  // that he has taken, and samples that he has seen in them
  int visits_ = 0;
  std::function<void(const JudgedPoint&)> watch_;
};

}  // namespace bridle
