#include "bridle/finish/finish.hpp"

#include <algorithm>
#include <cmath>

#include "bridle/finish/projector.hpp"

namespace bridle {
namespace {

// Spectral projected gradient: step lengths from the last move (Barzilai-Borwein), shortened until the slopes
// at the two ends of the move say that f fell.
void polish(Projector& set, const Vector& start, const Vector& unit_metric, double curvature, double goal,
            int gradients, const FullGradient& full_gradient, const Show& show) {
  struct Point {
    Vector x, gradient;
  };
  Point now{start, Vector(start.size())};
  full_gradient(now.x, now.gradient);
  --gradients;
  double weight = curvature;
  while (gradients > 0) {
    const Vector metric = weight * unit_metric;
    const auto target = set.project(now.x - now.gradient.cwiseQuotient(metric), metric, &now.x);
    if (!target.x.allFinite()) return;
    const Vector move = target.x - now.x;
    if (move.norm() <= 1e-15 * (1 + now.x.norm())) return;
    Point next{target.x, Vector(now.x.size())};
    full_gradient(next.x, next.gradient);
    --gradients;
    const double slope = now.gradient.dot(move);
    double length = 1, end_slope = next.gradient.dot(move);
    while (slope < 0 && 0.5 * (slope + end_slope) > 1e-4 * slope && gradients > 0 && length > 1e-4) {
      length *= std::clamp(-slope / (end_slope - slope), 0.1, 0.7);
      next.x = now.x + length * move;
      full_gradient(next.x, next.gradient);
      --gradients;
      end_slope = next.gradient.dot(move);
    }
    if (!next.gradient.allFinite() || show({next.x, target.multipliers}) <= goal) return;
    const Vector step = next.x - now.x;
    const double bent = step.dot(next.gradient - now.gradient);
    const double length_squared = step.dot(unit_metric.cwiseProduct(step));
    weight = bent > 0 ? std::clamp(bent / length_squared, 1e-6 * curvature, 1e3 * curvature)
                      : std::max(0.3 * weight, 1e-4 * curvature);
    now = std::move(next);
  }
}

}  // namespace

void finish(const Problem& problem, const LastPoint& last, double goal, int gradients,
            const FullGradient& full_gradient, const Show& show) {
  double best_error = infinity;
  Vector best;
  const auto try_out = [&](const Candidate& candidate, bool feasible) {
    if (!candidate.x.allFinite() || !candidate.y.allFinite()) return false;
    const double error = show(candidate);
    if (feasible && error < best_error) {
      best_error = error;
      best = candidate.x;
    }
    return error <= goal;
  };
  if (try_out({last.x, last.multipliers}, false)) return;
  if (try_out({last.z, last.multipliers}, false)) return;  // smoother than x where there is noise
  auto set = Projector::of(problem);
  if (!set) return;
  const Vector unit_metric = last.column_scale.cwiseAbs2().cwiseInverse();
  Vector gradient(last.x.size());
  for (const Vector* point : {&last.x, &last.z}) {
    const Vector feasible = set->project(*point, unit_metric).x;
    if (try_out({feasible, last.multipliers}, true)) return;
    if (!feasible.allFinite()) continue;
    full_gradient(feasible, gradient);
    --gradients;
    if (!gradient.allFinite()) continue;
    for (const double factor : {1.0, 5.0, 25.0}) {
      const Vector metric = factor * last.curvature * unit_metric;
      const auto stepped = set->project(feasible - gradient.cwiseQuotient(metric), metric, &feasible);
      if (try_out({stepped.x, stepped.multipliers}, true)) return;
    }
  }
  if (best.size()) polish(*set, best, unit_metric, last.curvature, goal, gradients, full_gradient, show);
}

}  // namespace bridle
