#include "bridle/second/phase.hpp"

#include <algorithm>
#include <cmath>

#include "bridle/second/error_estimate.hpp"
#include "bridle/second/line_search.hpp"
#include "bridle/second/region_projector.hpp"
#include "bridle/second/saddle.hpp"
#include "bridle/second/step.hpp"
#include "bridle/second/units.hpp"

namespace bridle::second {
namespace {

constexpr int most_saddles = 10;
constexpr double loose = 1e-3;  // a tolerance that ends the phase before it is near a stationary point
constexpr double rounding_of_value = 2e-15;
constexpr double sound_violation = 1e-11;  // of rows, relative, at the start

class Phase {
 public:
  Phase(const Problem& problem, const Region& region, Landscape& landscape, const Options& options)
      : problem_(problem), region_(region), landscape_(landscape), options_(options), work_(options.stop) {}

  Outcome run(const Start& start) {
    out_.multipliers = Vector::Zero(region_.problem_rows);
    if (!begin(start)) return finished();
    bool more = true;
    while (more) {
      iterate();
      while (turns_dense()) iterate();
      more = options_.look_for_saddles && near_rest() && !work_.stopped() && leave_saddle();
    }
    return finished();
  }

 private:
  // Stands at a feasible point, with the scales of the problem known.
  bool begin(const Start& start) {
    Vector origin = Vector::Zero(region_.dimension());
    problem_.set().project(origin);
    landscape_.go_to(origin);
    work_.spent.full_gradients += 1;
    const bool sound_origin = landscape_.sound();
    Vector there = sound_origin ? landscape_.gradient() : Vector(Vector::Zero(origin.size()));
    curvature_ = positive_curvature(problem_, landscape_, region_);
    weight_ = curvature_.cwiseInverse();
    // In units in which curvatures are 1 a step is as long as the slope: a thousandth of that is small.
    const double longest = there.cwiseProduct(weight_.cwiseSqrt()).lpNorm<Eigen::Infinity>();
    if (std::isfinite(longest)) region_.floor = 1e-3 * longest * weight_.cwiseSqrt();
    estimate_.emplace(region_, origin, std::move(there), curvature_);

    x_ = start.x;
    multipliers_ = Vector::Zero(region_.count());
    if (start.multipliers.size() == region_.problem_rows)
      multipliers_.head(region_.problem_rows) = start.multipliers;
    if (!x_.allFinite()) x_ = origin;
    if (region_.violation(x_) > 1e-13) project(x_);
    out_.x = x_;
    if (!(region_.violation(x_) <= sound_violation)) return ends(End::no_feasible_point);
    landscape_.go_to(x_);
    work_.spent.full_gradients += 1;
    if (!landscape_.sound()) return ends(End::not_finite);
    PathChoice path{.dense = options_.path == Path::dense};
    if (options_.path == Path::automatic) path = choose_path(problem_);
    out_.dense = path.dense && (options_.path == Path::dense || landscape_.offers_hessian());
    most_products_ = path.most_products;
    error_ = (*estimate_)(x_, landscape_.gradient(), multipliers_);
    keep();
    return true;
  }

  // The nearest point of the region, in the metric of the curvatures. Rows whose variables differ much in it
  // may be beyond the arithmetic; then in one that the rows make themselves.
  void project(Vector& x) {
    project_by(curvature_, x);
    if (!(region_.violation(x) <= sound_violation)) project_by(metric_of_rows(region_, curvature_), x);
  }
  void project_by(const Vector& metric, Vector& x) {
    RegionProjector projector(region_);
    const auto projected = projector.project(x, metric, Vector(), work_);
    if (projected.x.size() == x.size() && projected.x.allFinite()) x = projected.x;
    region_.restore(x, metric.cwiseInverse());
  }

  bool ends(End end) {
    out_.end = end;
    return false;
  }

  // Products that got nowhere, or dearer than Hessians would have been.
  bool turns_dense() {
    if (out_.dense || most_products_ == infinity || work_.stopped()) return false;
    if (out_.end != End::at_rest && out_.end != End::out_of_iterations) return false;
    out_.dense = true;
    return true;
  }

  void iterate() {
    const auto finder =
        out_.dense ? dense_steps(region_, landscape_, weight_) : operator_steps(region_, landscape_, weight_);
    Trust trust;
    while (true) {
      if (work_.stopped()) return void(ends(End::stopped));
      if (content()) return void(ends(End::converged));
      if (work_.spent.iterations >= options_.most_iterations ||
          (!out_.dense && work_.spent.hessian_products > most_products_))
        return void(ends(End::out_of_iterations));
      Step step;
      if (!finder->find(x_, error_, work_, step))
        return void(ends(work_.stopped() ? End::stopped : End::at_rest));
      if (!step.d.allFinite()) return void(ends(End::not_finite));
      work_.spent.iterations += 1;
      const double slope = landscape_.gradient().dot(step.d);
      const double rounding = rounding_of_value * (std::abs(landscape_.value()) + std::abs(first_value_));
      const double moved = landscape_.look_along(step.d);
      work_.spent.full_gradients += 0.5;
      const double first = landscape_.convex() ? 1 : trust.cap(moved);
      const double before = error_;
      double length = 0;
      if (-slope < 0.1 * rounding) {  // f cannot tell any more: the error decides
        length = take_unseen(step, rounding) ? 1 : 0;
      } else if (const auto found =
                     search_line(region_, landscape_, x_, step.d, slope, first, rounding, work_)) {
        length = found->length;
        trust.learn(first, length, moved);
        multipliers_ = step.multipliers;
        if (!take(*found)) return;
      }
      if (work_.stopped() && length == 0) return void(ends(End::stopped));
      if (length == 0) try_multipliers(step.multipliers);
      if (!finder->report(length, error_, before) && length == 0)
        return void(ends(content() ? End::converged : End::at_rest));
    }
  }

  // A whole step whose gain is below the rounding of f: taken if the error falls.
  bool take_unseen(const Step& step, double rounding) {
    Vector point = x_ + step.d;
    region_.restore(point, weight_);
    if (!(region_.violation(point) <= std::max(1e-12, region_.violation(x_)))) return false;
    const double value = landscape_.value_at(1, point);
    if (!(value <= landscape_.value() + rounding)) return false;
    landscape_.take(1, point, value);
    work_.spent.full_gradients += 0.5;
    const double error = (*estimate_)(point, landscape_.gradient(), step.multipliers);
    if (!landscape_.sound() || !(error < 0.9 * error_)) {
      landscape_.go_to(x_);
      work_.spent.full_gradients += 1;
      return false;
    }
    x_ = std::move(point);
    multipliers_ = step.multipliers;
    error_ = error;
    keep();
    return true;
  }

  // Those of the model may be better than those at hand where the step is not.
  void try_multipliers(const Vector& others) {
    const double error = (*estimate_)(x_, landscape_.gradient(), others);
    if (!(error < error_)) return;
    multipliers_ = others;
    error_ = error;
    keep();
  }

  // Stands at the point that a line search has found; false when it is not sound.
  bool take(const LinePoint& found) {
    Vector point = found.x;
    region_.restore(point, weight_);
    const double allowed = std::max(1e-12, region_.violation(x_));
    if (!(region_.violation(point) <= allowed)) project(point);
    if (!(region_.violation(point) <= allowed)) return ends(End::at_rest);
    // What is put right is rounding, unless the step was found with little accuracy.
    const double before = landscape_.value();
    if ((point - found.x).norm() <= 1e-12 * found.x.norm()) {
      landscape_.take(found.length, point, found.value);
    } else {
      landscape_.go_to(point);
      if (landscape_.value() > before) {
        landscape_.go_to(x_);
        return ends(End::at_rest);
      }
    }
    work_.spent.full_gradients += 0.5;
    if (!landscape_.sound() || !point.allFinite()) return ends(End::not_finite);
    x_ = std::move(point);
    measure();
    return true;
  }

  void measure() {
    error_ = (*estimate_)(x_, landscape_.gradient(), multipliers_);
    keep();
  }

  // What is returned if the phase ended here.
  void keep() {
    if (std::isinf(first_value_)) first_value_ = landscape_.value();
    out_.x = without_dust();
    out_.multipliers = multipliers_.head(region_.problem_rows);
    out_.value = landscape_.value();
    out_.error = error_;
    judged_ = false;
    if (options_.visit) options_.visit({out_.x, out_.multipliers, out_.value, error_});
  }

  // x with 0 for what is rounding next to a variable's size: rows that tie such variables to one another or
  // to 0 are then touched exactly, as they would be without rounding.
  Vector without_dust() const {
    constexpr double dust = 1e-10;
    if (region_.floor.size() == 0) return x_;
    Vector out = x_;
    for (Index j = 0; j < out.size(); ++j)
      if (std::abs(out[j]) <= dust * region_.floor[j]) out[j] = 0;
    return region_.violation(out) <= std::max(1e-12, region_.violation(x_)) ? out : x_;
  }

  // The judge is dear: asked once the estimate, corrected by what he said last, is small enough.
  bool content() {
    if (!options_.judge) return error_ <= options_.tolerance;
    if (judged_ || error_ * std::min(1.0, judge_over_estimate_) > options_.tolerance)
      return judged_ && out_.error <= options_.tolerance;
    judged_ = true;
    out_.error = options_.judge(out_.x, out_.multipliers);
    if (error_ > 0 && std::isfinite(out_.error)) judge_over_estimate_ = out_.error / error_;
    return out_.error <= options_.tolerance;
  }

  // Elsewhere curvature says nothing about the point where the way would end.
  bool near_rest() const {
    return out_.end == End::at_rest || (out_.end == End::converged && options_.tolerance <= loose);
  }

  // True when f was lowered along a direction of negative curvature.
  bool leave_saddle() {
    const double rounding = rounding_of_value * (std::abs(landscape_.value()) + std::abs(first_value_));
    const bool may_leave = out_.saddles_left < most_saddles;
    const auto way = way_down(region_, landscape_, x_, curvature_, out_.dense, may_leave, rounding, work_);
    out_.least_curvature = way.least_curvature;
    if (!way.point) return false;
    out_.saddles_left += 1;
    out_.least_curvature.reset();  // that of the point that is left
    return take(*way.point);
  }

  Outcome finished() {
    out_.spent = work_.spent;
    return std::move(out_);
  }

  const Problem& problem_;
  Region region_;
  Landscape& landscape_;
  const Options& options_;
  Work work_;
  Outcome out_;
  std::optional<ErrorEstimate> estimate_;
  Vector curvature_, weight_;  // of each variable, and its inverse
  Vector x_, multipliers_;
  double error_ = infinity, first_value_ = infinity, judge_over_estimate_ = 1;
  double most_products_ = infinity;
  bool judged_ = false;
};

}  // namespace

Outcome run_phase(const Problem& problem, const Region& region, Landscape& landscape, const Start& start,
                  const Options& options) {
  return Phase(problem, region, landscape, options).run(start);
}

}  // namespace bridle::second
