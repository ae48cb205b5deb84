#include "bridle/second/smooth_model.hpp"

#include <algorithm>
#include <cmath>

namespace bridle::second {
bool SmoothLocal::finite() const {
  return std::isfinite(value) && gradient.allFinite() && activity.allFinite() &&
         Eigen::Map<const Vector>(jacobian.valuePtr(), jacobian.nonZeros()).allFinite();
}

SmoothModel::SmoothModel(const Problem& problem, Work& work)
    : problem_(problem), work_(work), region_(*Region::of(problem)), landscape_(Landscape::of(problem)) {
  const SmoothRows& smooth = problem.smooth_rows();
  lower_.resize(region_.count() + smooth.count());
  upper_.resize(lower_.size());
  lower_ << region_.row_lower, smooth.lower;
  upper_ << region_.row_upper, smooth.upper;
}

SmoothLocal SmoothModel::at(const Vector& x, bool slopes) {
  SmoothLocal out;
  out.x = x;
  out.activity.resize(count());
  if (slopes) {
    out.gradient.resize(dimension());
    out.value = problem_.objective().value_and_gradient(x, out.gradient).value_or(std::nan(""));
    const SmoothPoint point = problem_.smooth_rows().at(x);
    out.activity << region_.rows * x, point.value;
    out.jacobian = stacked(region_.rows, point.jacobian);
  } else {
    out.value = problem_.objective().mean_value(x).value_or(std::nan(""));
    out.activity << region_.rows * x, problem_.smooth_rows().value(x);
  }
  work_.spent.full_gradients += slopes ? 1 : 0.5;
  return out;
}

Matrix SmoothModel::curvature(const Vector& x, const Vector& y) {
  Matrix out = objective_curvature(x);
  problem_.smooth_rows().add_hessian(x, y.tail(problem_.smooth_rows().count()), out);
  work_.spent.hessians += 1;
  return out;
}

// Central differences of the gradient where no second derivatives are offered.
Matrix SmoothModel::objective_curvature(const Vector& x) {
  constexpr double step_share = 6e-6;  // the cube root of the rounding
  Matrix out(dimension(), dimension());
  if (landscape_) {
    landscape_->go_to(x);
    landscape_->hessian(out, 1, 0);
    return out;
  }
  Vector there = x, after(x.size()), before(x.size());
  for (Index j = 0; j < x.size(); ++j) {
    const double step = step_share * std::max(1.0, std::abs(x[j]));
    there[j] = x[j] + step;
    const double ahead = there[j];
    problem_.objective().mean_gradient(there, after);
    there[j] = x[j] - step;
    problem_.objective().mean_gradient(there, before);
    out.col(j) = (after - before) / (ahead - there[j]);
    there[j] = x[j];
  }
  work_.spent.full_gradients += 2 * static_cast<double>(x.size());
  return 0.5 * (out + out.transpose());
}

Vector SmoothModel::to_all(const Vector& multipliers) const {
  Vector out = Vector::Zero(count());
  const Index linear = problem_.rows().count(), smooth = problem_.smooth_rows().count();
  if (multipliers.size() != linear + smooth || !multipliers.allFinite()) return out;
  out.head(linear) = multipliers.head(linear);
  out.tail(smooth) = multipliers.tail(smooth);
  return out;
}

Vector SmoothModel::to_problem(const Vector& all) const {
  Vector out(problem_.row_count());
  out << all.head(problem_.rows().count()), all.tail(problem_.smooth_rows().count());
  return out;
}

}  // namespace bridle::second
