#include "bridle/finish/diagonal_qp.hpp"

#include <algorithm>
#include <cmath>

#include "bridle/finish/normal_equations.hpp"

namespace bridle {
namespace {

constexpr int most_iterations = 80;

class InteriorPoint {
 public:
  InteriorPoint(const DiagonalQp& qp, double tolerance)
      : qp_(qp), tolerance_(tolerance), size_(qp.linear.size()), transposed_(qp.matrix.transpose()) {
    start();
  }

  QpSolution run() {
    QpSolution best{w_, y_, false, 0};
    double best_merit = infinity;
    for (int k = 0; k < most_iterations; ++k) {
      measure();
      const double merit = std::max({primal_.lpNorm<Eigen::Infinity>() / (1 + norm(qp_.right)),
                                     dual_.lpNorm<Eigen::Infinity>() / (1 + norm(qp_.linear)), gap_});
      if (!std::isfinite(merit)) break;
      if (merit < best_merit) {
        best_merit = merit;
        best = {w_, y_, merit < tolerance_, k};
      }
      if (merit < tolerance_ || !factorise()) break;
      predict_and_correct();
    }
    return best;
  }

 private:
  static double norm(const Vector& v) { return v.size() ? v.lpNorm<Eigen::Infinity>() : 0; }

  bool below(Index j) const { return !fixed_[j] && is_finite(qp_.lower[j]); }
  bool above(Index j) const { return !fixed_[j] && is_finite(qp_.upper[j]); }
  double room_below(Index j) const { return w_[j] - qp_.lower[j]; }
  double room_above(Index j) const { return qp_.upper[j] - w_[j]; }

  void start() {
    w_ = Vector::Zero(size_);
    y_ = Vector::Zero(qp_.right.size());
    price_below_ = price_above_ = Vector::Zero(size_);
    fixed_ = Eigen::Array<bool, Eigen::Dynamic, 1>::Constant(size_, false);
    const double price = std::max(1.0, norm(qp_.linear));  // smaller ones are in the way for dozens of steps
    for (Index j = 0; j < size_; ++j) {
      const double lower = qp_.lower[j], upper = qp_.upper[j];
      fixed_[j] = is_finite(lower) && upper - lower <= 1e-13 * (1 + std::abs(lower));
      if (fixed_[j]) {
        w_[j] = lower;
        continue;
      }
      const double margin = std::min(1.0, 0.1 * (upper - lower));
      if (is_finite(lower)) w_[j] = std::max(w_[j], lower + margin);
      if (is_finite(upper)) w_[j] = std::min(w_[j], upper - margin);
      if (below(j)) price_below_[j] = price, bounds_ += 1;
      if (above(j)) price_above_[j] = price, bounds_ += 1;
    }
  }

  void measure() {
    primal_ = qp_.right - qp_.matrix * w_;
    dual_ = -(qp_.hessian.cwiseProduct(w_) + qp_.linear + transposed_ * y_ - price_below_ + price_above_);
    dual_ = fixed_.select(0.0, dual_);
    gap_ = 0;
    for (Index j = 0; j < size_; ++j) {
      if (below(j)) gap_ += price_below_[j] * room_below(j);
      if (above(j)) gap_ += price_above_[j] * room_above(j);
    }
    gap_ /= std::max(1.0, bounds_);
  }

  bool factorise() {
    theta_ = Vector::Zero(size_);
    for (Index j = 0; j < size_; ++j) {
      if (fixed_[j]) continue;
      double curvature = qp_.hessian[j];
      if (below(j)) curvature += price_below_[j] / room_below(j);
      if (above(j)) curvature += price_above_[j] / room_above(j);
      theta_[j] = 1 / std::max(curvature, 1e-13);
    }
    return system_->factorise(theta_);
  }

  // Newton direction for the right-hand side of the dual equation; two rounds of iterative refinement.
  void solve_newton(const Vector& right) {
    if (y_.size() == 0) {
      step_w_ = theta_.cwiseProduct(right);
      step_y_.resize(0);
      return;
    }
    const Vector rhs = qp_.matrix * theta_.cwiseProduct(right) - primal_;
    step_y_ = system_->solve(rhs);
    for (int k = 0; k < 2; ++k)
      step_y_ += system_->solve(rhs - qp_.matrix * theta_.cwiseProduct(transposed_ * step_y_));
    step_w_ = theta_.cwiseProduct(right - transposed_ * step_y_);
  }

  void newton_step(double centre, const Vector& cross_below, const Vector& cross_above) {
    Vector right = dual_;
    for (Index j = 0; j < size_; ++j) {
      if (below(j)) right[j] += (centre - cross_below[j]) / room_below(j) - price_below_[j];
      if (above(j)) right[j] -= (centre - cross_above[j]) / room_above(j) - price_above_[j];
    }
    right = fixed_.select(0.0, right);
    solve_newton(right);
    step_below_ = step_above_ = Vector::Zero(size_);
    for (Index j = 0; j < size_; ++j) {
      if (below(j))
        step_below_[j] =
            (centre - cross_below[j] - price_below_[j] * step_w_[j]) / room_below(j) - price_below_[j];
      if (above(j))
        step_above_[j] =
            (centre - cross_above[j] + price_above_[j] * step_w_[j]) / room_above(j) - price_above_[j];
    }
  }

  // The longest step that keeps rooms and prices nonnegative.
  double longest_step() const {
    double length = 1;
    const auto limit = [&](double value, double change) {
      if (change < 0) length = std::min(length, -value / change);
    };
    for (Index j = 0; j < size_; ++j) {
      if (below(j)) limit(room_below(j), step_w_[j]), limit(price_below_[j], step_below_[j]);
      if (above(j)) limit(room_above(j), -step_w_[j]), limit(price_above_[j], step_above_[j]);
    }
    return length;
  }

  // Mean complementarity after a step of this length.
  double gap_after(double length) const {
    double sum = 0;
    for (Index j = 0; j < size_; ++j) {
      if (below(j))
        sum += (price_below_[j] + length * step_below_[j]) * (room_below(j) + length * step_w_[j]);
      if (above(j))
        sum += (price_above_[j] + length * step_above_[j]) * (room_above(j) - length * step_w_[j]);
    }
    return sum / std::max(1.0, bounds_);
  }

  void predict_and_correct() {
    const Vector none = Vector::Zero(size_);
    newton_step(0, none, none);
    double length = longest_step();
    if (bounds_ > 0) {
      Vector cross_below = none, cross_above = none;
      for (Index j = 0; j < size_; ++j) {
        if (below(j)) cross_below[j] = step_w_[j] * step_below_[j];
        if (above(j)) cross_above[j] = -step_w_[j] * step_above_[j];
      }
      double centring = gap_ > 0 ? std::min(1.0, std::pow(std::max(0.0, gap_after(length) / gap_), 3)) : 0;
      if (length < 0.1) {  // the predictor got nowhere: centre instead of trusting its second-order term
        centring = std::max(centring, 0.3);
        cross_below.setZero();
        cross_above.setZero();
      }
      newton_step(centring * gap_, cross_below, cross_above);
      length = std::min(1.0, 0.995 * longest_step());
      if (gap_after(length) > 0.9 * gap_) {  // the second-order term can send the gap in circles
        newton_step(0.3 * gap_, none, none);
        length = std::min(1.0, 0.995 * longest_step());
      }
    }
    w_ += length * step_w_;
    y_ += length * step_y_;
    price_below_ += length * step_below_;
    price_above_ += length * step_above_;
  }

  const DiagonalQp& qp_;
  double tolerance_;
  Index size_;
  SparseColumns transposed_;
  Eigen::Array<bool, Eigen::Dynamic, 1> fixed_;
  double bounds_ = 0;
  Vector w_, y_, price_below_, price_above_;
  Vector primal_, dual_, theta_;
  double gap_ = 0;
  Vector step_w_, step_y_, step_below_, step_above_;
  std::unique_ptr<NormalEquations> system_ = NormalEquations::of(qp_.matrix);
};

}  // namespace

QpSolution solve_interior_point(const DiagonalQp& qp, double tolerance) {
  return InteriorPoint(qp, tolerance).run();
}

}  // namespace bridle
