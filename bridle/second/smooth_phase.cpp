#include "bridle/second/smooth_phase.hpp"

#include <algorithm>
#include <cmath>

#include "bridle/second/convexified.hpp"
#include "bridle/second/elastic_qp.hpp"
#include "bridle/second/smooth_error.hpp"

namespace bridle::second {
namespace {

constexpr double first_radius = 1, least_radius = 1e-13, largest_radius = 1e6;
constexpr double good_ratio = 0.75, fair_ratio = 0.25, least_ratio = 1e-4;
constexpr double rounding_of_merit = 1e-14;
constexpr int most_price_raises = 8;   // of prices in one step
constexpr double price_raise = 10;     // each
constexpr double fair_share = 0.3;     // of the violation that could be removed, that a step has to remove
constexpr double ask_the_judge = 100;  // times the tolerance: own estimates that are worth his time

class SmoothPhase {
 public:
  SmoothPhase(const Problem& problem, const Options& options)
      : problem_(problem), options_(options), work_(options.stop), model_(problem, work_) {}

  Outcome run(const Start& start) {
    out_.dense = true;
    out_.multipliers = Vector::Zero(problem_.row_count());
    Vector x = start.x.cwiseMax(model_.least()).cwiseMin(model_.most());
    out_.x = x;
    if (!x.allFinite()) return ended(End::not_finite);
    here_ = model_.at(x, true);
    if (!here_.finite()) return ended(End::not_finite);
    y_ = model_.to_all(start.multipliers);
    qp_.emplace(model_, x.cwiseAbs().cwiseMax(1.0));
    set_first_prices();
    keep();
    return ended(iterate());
  }

 private:
  Outcome ended(End end) {
    out_.end = end;
    if (options_.judge && !judged_ && !work_.stopped() && out_.x.allFinite() && end != End::not_finite) ask();
    if (options_.judge && out_.error <= options_.tolerance) out_.end = End::converged;
    out_.spent = work_.spent;
    return out_;
  }

  End iterate() {
    double radius = first_radius;
    while (true) {
      if (work_.stopped()) return End::stopped;
      if (content()) return End::converged;
      if (work_.spent.iterations >= options_.most_iterations) return End::out_of_iterations;
      if (radius < least_radius) return End::at_rest;
      work_.spent.iterations += 1;
      const Matrix lagrangian = model_.curvature(here_.x, y_);
      if (!lagrangian.allFinite()) return End::not_finite;
      const Convexified convex =
          convexified(lagrangian, here_, qp_->unit(), distances_to_face(), first_price_);
      ElasticStep step;
      if (!find_step(convex, radius, step)) {
        if (work_.stopped()) return End::stopped;
        if (++failures_ > 3) return End::at_rest;
        radius *= 0.25;
        continue;
      }
      const double length = step.d.cwiseQuotient(qp_->unit()).lpNorm<Eigen::Infinity>();
      const double foretold = foretold_gain(lagrangian, step);
      const double rounding =
          rounding_of_merit * (std::abs(here_.value) + priced(here_.activity) + size_of_terms());
      if (foretold <= rounding) {  // the merit cannot tell any more: the error decides
        if (!take_unseen(step)) return End::at_rest;
        continue;
      }
      SmoothLocal there = model_.at(here_.x + step.d, false);
      double ratio = gain_of(there) / foretold;
      if (!(ratio > fair_ratio) &&
          length <= 1e3) {  // rows that bend spoil whole steps (Maratos): once more with them
        ElasticStep corrected;
        const Vector bent = there.activity - here_.jacobian * step.d;
        if (bent.allFinite() &&
            qp_->solve(here_, bent, convex.gradient, convex.curvature, sigma_, radius, work_, corrected)) {
          SmoothLocal other = model_.at(here_.x + corrected.d, false);
          const double other_ratio = gain_of(other) / foretold;
          if (other_ratio > ratio || !std::isfinite(ratio)) {
            there = std::move(other);
            ratio = other_ratio;
          }
        }
      }
      if (!(ratio > least_ratio)) {
        radius = 0.25 * std::min(radius, length);
        continue;
      }
      if (!take(there.x, step.multipliers)) {
        radius = 0.25 * std::min(radius, length);
        continue;
      }
      failures_ = 0;
      if (ratio > good_ratio && length > 0.9 * radius) radius = std::min(largest_radius, 2.5 * radius);
      if (ratio < fair_ratio) radius = std::max(0.5 * std::min(radius, length), 10 * least_radius);
    }
  }

  // From the bounds that rows are expected to end at; infinite where there is none.
  Vector distances_to_face() const {
    Vector out = Vector::Constant(model_.count(), infinity);
    for (Index i = 0; i < out.size(); ++i) {
      if (model_.equality(i) || y_[i] < 0) out[i] = here_.activity[i] - model_.lower()[i];
      if (!model_.equality(i) && y_[i] > 0) out[i] = here_.activity[i] - model_.upper()[i];
    }
    return out;
  }

  // Prices are raised until the step removes a fair share of what a step that cares for nothing else would
  // remove.
  bool find_step(const Convexified& convex, double radius, ElasticStep& step) {
    const auto solve = [&](const Vector& sigma, ElasticStep& out) {
      return solve_soundly(convex, sigma, radius, out);
    };
    if (!solve(sigma_, step)) return false;
    const double before = relative_violation(here_.activity);
    const double small = 1e-13;
    if (relative_violation_left(step) <= small) return true;
    ElasticStep other;
    Vector dear = 1e4 * sigma_;
    if (!solve(dear, other)) return true;
    const double possible = before - relative_violation_left(other);
    const bool all = relative_violation_left(other) <= small;
    for (int k = 0; k < most_price_raises; ++k) {
      const double removed = before - relative_violation_left(step);
      if (all ? relative_violation_left(step) <= 10 * small : removed >= fair_share * possible) return true;
      ElasticStep next;
      if (sigma_.maxCoeff() > 1e12 * first_price_ || !solve(price_raise * sigma_, next)) return true;
      for (Index i = 0; i < sigma_.size(); ++i)
        if (step.broken[i] != 0) sigma_[i] *= price_raise;
      if (!solve(sigma_, step)) {
        step = next;
        return true;
      }
    }
    return true;
  }

  // The program, with more curvature where rounding has spoilt its answer: one that is worse than not to
  // move.
  bool solve_soundly(const Convexified& convex, const Vector& sigma, double radius, ElasticStep& out) {
    Matrix curvature = convex.curvature;
    const double size = std::max(curvature.diagonal().cwiseAbs().maxCoeff(), 1e-300);
    for (const double shift : {0.0, 1e-6, 1e-3, 1.0}) {
      curvature.diagonal() = convex.curvature.diagonal().array() + shift * size;
      if (!qp_->solve(here_, here_.activity, convex.gradient, curvature, sigma, radius, work_, out)) continue;
      double worse = convex.gradient.dot(out.d) + 0.5 * out.d.dot(curvature * out.d), before = 0;
      for (Index i = 0; i < model_.count(); ++i) {
        worse += sigma[i] * std::abs(out.broken[i]);
        before += sigma[i] * std::abs(model_.broken(i, here_.activity[i]));
      }
      if (worse <= before + 1e-9 * (before + std::abs(convex.gradient.dot(out.d)))) return true;
    }
    return false;
  }

  // Of rows in units in which their slopes have length 1.
  double relative_violation(const Vector& activity) const {
    double sum = 0;
    for (Index i = 0; i < model_.count(); ++i) sum += std::abs(model_.broken(i, activity[i])) * row_unit(i);
    return sum;
  }
  double relative_violation_left(const ElasticStep& step) const {
    double sum = 0;
    for (Index i = 0; i < model_.count(); ++i) sum += std::abs(step.broken[i]) * row_unit(i);
    return sum;
  }
  double row_unit(Index i) const { return row_units_[i]; }

  void set_first_prices() {
    measure_rows();
    first_price_ = here_.gradient.cwiseProduct(qp_->unit()).lpNorm<Eigen::Infinity>();
    if (!(first_price_ > 0)) first_price_ = 1;  // f is flat here: any price will do
    sigma_.resize(model_.count());
    for (Index i = 0; i < sigma_.size(); ++i)
      sigma_[i] = std::max({2 * std::abs(y_[i]), first_price_ * row_units_[i], 1e-300});
  }
  void measure_rows() {
    row_units_ = Vector::Ones(model_.count());
    const SparseRows rows = here_.jacobian * qp_->unit().asDiagonal();
    for (Index i = 0; i < model_.count(); ++i)
      if (const double length = std::sqrt(rows.row(i).squaredNorm()); length > 0) row_units_[i] = 1 / length;
  }

  double priced(const Vector& activity) const {
    double sum = 0;
    for (Index i = 0; i < model_.count(); ++i) sum += sigma_[i] * std::abs(model_.broken(i, activity[i]));
    return sum;
  }
  // What the rows' prices make of the rounding of their terms.
  double size_of_terms() const {
    double sum = 0;
    for (Index i = 0; i < model_.count(); ++i)
      if (y_[i] != 0 || model_.equality(i)) sum += std::abs(y_[i]) * std::abs(here_.activity[i]);
    return sum;
  }
  double merit(const SmoothLocal& at) const { return at.value + priced(at.activity); }
  double gain_of(const SmoothLocal& there) const {
    const double after = merit(there);
    return std::isfinite(after) ? merit(here_) - after : -infinity;
  }
  double foretold_gain(const Matrix& lagrangian, const ElasticStep& step) {
    double rows = 0;
    for (Index i = 0; i < model_.count(); ++i)
      rows += sigma_[i] * (std::abs(model_.broken(i, here_.activity[i])) - std::abs(step.broken[i]));
    const double bent = 0.5 * step.d.dot(lagrangian * step.d);
    const double f = -here_.gradient.dot(step.d) - std::max(bent, 0.0);
    // Dearer rows where what f loses would eat up what they gain.
    if (rows > 0 && f + rows < 0.1 * rows) {
      const double factor = -f / (0.9 * rows) * 1.1;
      if (std::isfinite(factor) && factor > 1 && factor < 1e6) {
        sigma_ *= factor;
        rows *= factor;
      }
    }
    return f + rows;
  }

  bool take(const Vector& x, const Vector& multipliers) {
    SmoothLocal there = model_.at(x.cwiseMax(model_.least()).cwiseMin(model_.most()), true);
    if (!there.finite()) return false;
    here_ = std::move(there);
    y_ = multipliers;
    measure_rows();
    keep();
    return true;
  }

  // A whole step whose gain is below rounding: taken if the error falls.
  bool take_unseen(const ElasticStep& step) {
    const double before = error_;
    const SmoothLocal old = here_;
    const Vector old_y = y_;
    const Outcome kept = out_;
    const bool was_judged = judged_;
    if (take(here_.x + step.d, step.multipliers) && error_ < 0.9 * before) return true;
    here_ = old;
    y_ = old_y;
    error_ = before;
    out_ = kept;
    judged_ = was_judged;
    // The multipliers alone may be better.
    const double with_new = smooth_error(model_, here_, step.multipliers, row_units_);
    if (!(with_new < 0.9 * before)) return false;
    y_ = step.multipliers;
    keep();
    return true;
  }

  void keep() {
    error_ = smooth_error(model_, here_, y_, row_units_);
    out_.x = here_.x;
    out_.multipliers = model_.to_problem(y_);
    out_.value = here_.value;
    out_.error = error_;
    judged_ = false;
    if (options_.visit) options_.visit({out_.x, out_.multipliers, out_.value, error_});
  }

  // The judge is dear: asked where the estimate is small, and has become clearly smaller.
  bool content() {
    if (!options_.judge) return error_ <= options_.tolerance;
    if (!judged_ && error_ <= ask_the_judge * options_.tolerance && error_ <= 0.5 * asked_at_) {
      asked_at_ = error_;
      ask();
    }
    return judged_ && out_.error <= options_.tolerance;
  }

  // The judge's error of the point, or of the same point with 0 for what is rounding next to a variable's
  // size: rows and slopes that vanish with such a variable are then what they are at the solution.
  void ask() {
    constexpr double dust = 1e-9;
    judged_ = true;
    out_.error = options_.judge(out_.x, out_.multipliers);
    if (out_.error <= options_.tolerance) return;
    Vector clean = out_.x;
    for (Index j = 0; j < clean.size(); ++j)
      if (std::abs(clean[j]) <= dust * qp_->unit()[j] && model_.least()[j] <= 0 && model_.most()[j] >= 0)
        clean[j] = 0;
    if (clean == out_.x) return;
    if (const double error = options_.judge(clean, out_.multipliers); error < out_.error) {
      out_.x = clean;
      out_.error = error;
    }
  }

  const Problem& problem_;
  const Options& options_;
  Work work_;
  SmoothModel model_;
  std::optional<ElasticQp> qp_;
  SmoothLocal here_;
  Vector y_, sigma_, row_units_;
  double first_price_ = 1;
  Outcome out_;
  double error_ = infinity, asked_at_ = infinity;
  bool judged_ = false;
  int failures_ = 0;
};

}  // namespace

Applies smooth_phase_applies(const Problem& problem) {
  const AnyObjective& objective = problem.objective();
  if (!objective.has_exact_mean()) return {false, "the objective's gradient is known through samples only"};
  if (!objective.has_value()) return {false, "the objective has no value function"};
  if (problem.dimension() > most_smooth_variables) return {false, "smooth rows over many variables"};
  if (!Landscape::of(problem) && problem.dimension() > most_differences)
    return {false, "the objective offers no second derivatives"};
  if (!problem.set().description()) return {false, "X is not described by few linear rows"};
  return {};
}

Outcome run_smooth_phase(const Problem& problem, const Start& start, const Options& options) {
  return SmoothPhase(problem, options).run(start);
}

}  // namespace bridle::second
