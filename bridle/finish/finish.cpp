#include "bridle/finish/finish.hpp"

#include <algorithm>
#include <cmath>

#include "bridle/finish/projector.hpp"

namespace bridle {
namespace {

struct Point {
  Vector x, gradient;
  std::optional<double> value;
};

// Curvature along the last move: one number for all columns (Barzilai-Borwein), or one for each, which is
// right where the objective is nearly separable and its columns differ by orders of magnitude. A nonconvex
// move only lowers them.
class Curvatures {
 public:
  Curvatures(const Vector& unit_metric, double curvature)
      : unit_(unit_metric), first_(curvature), common_(curvature), own_(curvature * unit_metric) {}

  void learn(const Vector& step, const Vector& change) {
    const double bent = step.dot(change), length_squared = step.dot(unit_.cwiseProduct(step));
    common_ = bent > 0 ? std::clamp(bent / length_squared, 1e-6 * first_, 1e3 * first_)
                       : std::max(0.3 * common_, 1e-4 * first_);
    for (Index j = 0; j < step.size(); ++j) {
      if (step[j] == 0) continue;
      const double curvature = change[j] / step[j];
      own_[j] = curvature > 0 ? std::clamp(curvature, least_ * first_ * unit_[j], 1e3 * first_ * unit_[j])
                              : std::max(0.3 * own_[j], least_ * first_ * unit_[j]);
    }
  }
  // After a step with the columns' own curvatures: flat columns may be followed further while full steps
  // succeed.
  void trust(bool full_step) { least_ = std::clamp(full_step ? 0.3 * least_ : 10 * least_, 1e-7, 1e-3); }
  Vector common() const { return common_ * unit_; }
  const Vector& own() const { return own_; }

 private:
  const Vector& unit_;
  double first_, common_;
  double least_ = 1e-4;  // of the first curvature; the projection must bear the spread
  Vector own_;
};

// Spectral projected gradient: a step in the metric of the curvatures, projected, and shortened until f
// falls, or where f is not to be had until the slopes at the two ends of the move say so.
class Polish {
 public:
  Polish(const Problem& problem, Projector& set, const FullGradient& full_gradient)
      : problem_(problem), set_(set), full_gradient_(full_gradient) {}

  // Returns the best point; true: it is good enough, or there is no more to be had.
  bool run(Vector& start, const Vector& unit_metric, double curvature, FeasibleSet::Step step, double goal,
           const Show& show) {
    Point now = evaluate(start);
    Curvatures curvatures(unit_metric, curvature);
    double shown = infinity, best = infinity;
    int improved = 0;  // the last move that did
    for (int k = 0; !spent_ && k <= improved + patience; ++k) {
      const bool own = k >= settled && k % 2 == 1;
      const Vector metric = own ? curvatures.own() : curvatures.common();
      const auto target = set_.project(now.x - now.gradient.cwiseQuotient(metric), metric, &now.x, step);
      if (!target.x.allFinite()) return true;
      const Vector move = target.x - now.x;
      if (move.norm() <= 1e-15 * (1 + now.x.norm())) return true;
      const double push = metric.cwiseProduct(move).norm();  // about the distance to stationarity
      Point next = shorten(now, move, evaluate(target.x));
      if (!next.gradient.allFinite()) return true;
      if (k < settled || push < 0.7 * shown || k % 20 == 0 || spent_) {  // the judge's time is precious
        shown = std::min(shown, push);
        const double error = show({next.x, target.multipliers});
        if (error <= goal) return true;
        if (error < 0.8 * best) improved = k;
        if (error < best) {
          best = error;
          start = next.x;
        }
      }
      if (own) curvatures.trust(target.exact && next.x == target.x);
      curvatures.learn(next.x - now.x, next.gradient - now.gradient);
      now = std::move(next);
    }
    return spent_;
  }

 private:
  static constexpr int settled = 6;     // moves before the columns' own curvatures are trusted
  static constexpr int patience = 250;  // moves without a smaller error

  Point evaluate(const Vector& x) {
    Point out{x, Vector(x.size()), problem_.objective().mean_value(x)};
    spent_ = !full_gradient_(x, out.gradient);
    return out;
  }

  Point shorten(const Point& now, const Vector& move, Point next) {
    const double slope = now.gradient.dot(move);
    const auto fell = [&](double length) {
      if (now.value && next.value)
        return *next.value <= *now.value + 1e-4 * length * slope + 1e-14 * std::abs(*now.value);
      return 0.5 * (slope + next.gradient.dot(move)) <= 1e-4 * slope;
    };
    double length = 1;
    while (slope < 0 && !fell(length) && !spent_ && length > 1e-4) {
      const double end_slope = next.gradient.dot(move);
      length *= end_slope > slope ? std::clamp(-slope / (end_slope - slope), 0.1, 0.7) : 0.3;
      next = evaluate(now.x + length * move);
    }
    return next;
  }

  const Problem& problem_;
  Projector& set_;
  const FullGradient& full_gradient_;
  bool spent_ = false;
};

void search(const Problem& problem, Projector& set, const LastPoint& last, double goal,
            const FullGradient& full_gradient, const Show& show) {
  double best_error = infinity;
  Vector best;
  const auto try_out = [&](const Candidate& candidate) {
    if (!candidate.x.allFinite() || !candidate.y.allFinite()) return false;
    const double error = show(candidate);
    if (error < best_error) {
      best_error = error;
      best = candidate.x;
    }
    return error <= goal;
  };
  const Vector unit_metric = last.column_scale.cwiseAbs2().cwiseInverse();
  Vector gradient(last.x.size());
  bool more = true;
  for (const Vector* point : {&last.x, &last.z}) {  // z is smoother than x where there is noise
    const Vector feasible = set.project(*point, unit_metric).x;
    if (try_out({feasible, last.multipliers})) return;
    if (!feasible.allFinite()) continue;
    more = full_gradient(feasible, gradient);
    if (!gradient.allFinite()) continue;
    const auto value = problem.objective().mean_value(feasible);
    for (const double factor : {1.0, 5.0, 25.0}) {
      const Vector metric = factor * last.curvature * unit_metric;
      const auto stepped =
          set.project(feasible - gradient.cwiseQuotient(metric), metric, &feasible, FeasibleSet::Step::plain);
      if (value && !(problem.objective().mean_value(stepped.x) <= *value)) continue;  // too long a step
      if (try_out({stepped.x, stepped.multipliers})) return;
    }
  }
  if (!more || best.size() == 0) return;
  // Again from the best point where it got stuck: in even units, with shorter first steps and longer ones.
  Polish polish(problem, set, full_gradient);
  using enum FeasibleSet::Step;
  for (const auto& [factor, step] :
       {std::pair{1.0, plain}, {1.0, in_even_units}, {10.0, plain}, {0.1, in_even_units}, {100.0, plain}})
    if (polish.run(best, unit_metric, factor * last.curvature, step, goal, show)) return;
}

}  // namespace

int finish(const Problem& problem, const LastPoint& last, double goal, const FullGradient& full_gradient,
           const Show& show) {
  auto set = Projector::of(problem);
  if (!set) return 0;
  search(problem, *set, last, goal, full_gradient, show);
  return set->projections();
}

}  // namespace bridle
