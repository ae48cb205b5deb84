#include "bridle/apps/fair/smooth_steps.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

namespace bridle {

// Rows, linear and smooth, around a point.
struct RowsHere {
  Vector value, lower, upper;
  Matrix jacobian;

  static RowsHere of(const Problem& problem, const Vector& x) {
    const Rows& linear = problem.rows();
    const SmoothRows& smooth = problem.smooth_rows();
    const SmoothPoint at = smooth.at(x);
    RowsHere out;
    out.value.resize(problem.row_count());
    out.value << linear.matrix * x, at.value;
    out.lower.resize(problem.row_count());
    out.lower << linear.lower, smooth.lower;
    out.upper.resize(problem.row_count());
    out.upper << linear.upper, smooth.upper;
    out.jacobian.resize(problem.row_count(), x.size());
    out.jacobian << Matrix(linear.matrix), Matrix(at.jacobian);
    return out;
  }
  Vector violation(const Vector& at) const { return (at - upper).cwiseMax(lower - at).cwiseMax(0); }
};

// A positive definite model of the Lagrangian. Squares of what the priced rows are off their bounds are added
// first: they vanish where those rows end at their bounds, so that steps stay those of the Lagrangian itself.
// What is then still not convex is shifted.
struct ConvexModel {
  Eigen::LLT<Matrix> factor;
  double squares = 0;  // weight of the squares
  double shift = 0;    // 0 where little or nothing had to be shifted
};

namespace {

constexpr double square_shares[] = {0, 1, 10, 100};  // of the Hessian's size
constexpr double first_shift = 1e-6;                 // of the largest diagonal entry of the Hessian
constexpr double more_shift = 4, less_shift = 10;
constexpr double highest_price = 100;  // a row that asks for more cannot be met around this point
constexpr double penalty_over_price = 1.5;
constexpr double enough_fall = 1e-5;  // of the merit function, of what the model's gradient promises
constexpr int most_halvings = 12, most_sweeps = 1000;
constexpr double least_trust = 0.25;
// Near a solution a Hessian serves for several steps: its own error is of the size of the error that is left.
constexpr double near_solution = 1e-2;
constexpr int steps_of_a_hessian = 3;

double largest(const Vector& v) { return v.size() > 0 ? v.lpNorm<Eigen::Infinity>() : 0.0; }

Vector values_at(const Problem& problem, const Vector& x) {
  Vector out(problem.row_count());
  out << problem.rows().matrix * x, problem.smooth_rows().value(x);
  return out;
}

ConvexModel convexify(const Matrix& hessian, const RowsHere& rows, const Vector& y, double last_shift) {
  const double size = std::max(hessian.diagonal().cwiseAbs().maxCoeff(), 1e-300);
  Matrix squares = Matrix::Zero(hessian.rows(), hessian.cols());
  for (Index r = 0; r < y.size(); ++r) {
    const double length = rows.jacobian.row(r).squaredNorm();
    if (y[r] == 0 || !(length > 0)) continue;
    squares += rows.jacobian.row(r).transpose() * rows.jacobian.row(r) / length;
  }
  ConvexModel out;
  Matrix tried;
  for (const double share : square_shares) {
    out.squares = share * size;
    tried = hessian + out.squares * squares;
    tried.diagonal().array() += first_shift * size;
    out.factor.compute(tried);
    if (out.factor.info() == Eigen::Success) return out;
  }
  for (out.shift = std::max(more_shift * first_shift * size, last_shift / less_shift);;
       out.shift *= more_shift) {
    Matrix shifted = tried;
    shifted.diagonal().array() += out.shift;
    out.factor.compute(shifted);
    if (out.factor.info() == Eigen::Success) return out;
  }
}

// The gradient of the squares.
Vector pull_of(const ConvexModel& model, const RowsHere& rows, const Vector& y) {
  Vector out = Vector::Zero(rows.jacobian.cols());
  for (Index r = 0; r < y.size() && model.squares > 0; ++r) {
    const double length = rows.jacobian.row(r).squaredNorm();
    if (y[r] == 0 || !(length > 0)) continue;
    const double beyond = rows.value[r] - (y[r] > 0 ? rows.upper[r] : rows.lower[r]);
    out += rows.jacobian.row(r).transpose() * (model.squares * beyond / length);
  }
  return out;
}

// The step that brings the priced rows, which take `there` after a full step, to the bounds that they are
// priced for: without it a row's curvature can forbid every full step near a solution.
Vector correction(const Matrix& s, const Matrix& pulled, const RowsHere& rows, const Vector& y,
                  const Vector& there) {
  std::vector<Index> priced;
  for (Index r = 0; r < y.size(); ++r)
    if (y[r] != 0) priced.push_back(r);
  if (priced.empty()) return Vector::Zero(pulled.rows());
  Vector miss(static_cast<Index>(priced.size()));
  for (std::size_t k = 0; k < priced.size(); ++k) {
    const Index r = priced[k];
    miss[static_cast<Index>(k)] = there[r] - (y[r] > 0 ? rows.upper[r] : rows.lower[r]);
  }
  Matrix own = s(priced, priced);
  own.diagonal() *= 1 + 1e-9;
  return -pulled(Eigen::all, priced) * own.ldlt().solve(miss);
}

// Multipliers of min g'd + d'Bd/2 over lower <= value + J d <= upper, by turns, from a guess: S = J B^-1 J',
// and the rows take the values `unpriced` - S y.
void fit_prices(const Matrix& s, const Vector& unpriced, const RowsHere& rows, Vector& y) {
  Vector taken = s * y;
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    double change = 0;
    for (Index r = 0; r < y.size(); ++r) {
      const double bend = s(r, r);
      if (!(bend > 0)) continue;
      const double without = unpriced[r] - taken[r] + bend * y[r];
      double price = without > rows.upper[r]   ? (without - rows.upper[r]) / bend
                     : without < rows.lower[r] ? (without - rows.lower[r]) / bend
                                               : 0.0;
      price = std::clamp(price, -highest_price, highest_price);
      if (price == y[r]) continue;
      taken += (price - y[r]) * s.col(r);
      change = std::max(change, std::abs(price - y[r]) * bend);
      y[r] = price;
    }
    if (change < 1e-12) return;
  }
}

}  // namespace

struct SmoothSteps::Here {
  double value = infinity;
  Vector gradient;
  RowsHere rows;

  Here(const Problem& problem, const Vector& x) : gradient(x.size()), rows(RowsHere::of(problem, x)) {
    value = problem.objective().value_and_gradient(x, gradient).value_or(infinity);
  }
  bool finite() const { return std::isfinite(value) && gradient.allFinite() && rows.jacobian.allFinite(); }
};

struct SmoothSteps::Model {
  std::function<Matrix(const Matrix&)> solve;  // with the Lagrangian's curvature, made convex
  Vector pull;                                 // to be added to the gradient
};

SmoothSteps::Model SmoothSteps::model_at(const Problem& problem, const Here& here,
                                         const SmoothStepOptions& options) {
  if (options.curvature == StepCurvature::limited_memory)
    return {[this](const Matrix& columns) { return memory_.inverse_times(columns); },
            Vector::Zero(x_.size())};
  const double left = largest(here.gradient + here.rows.jacobian.transpose() * y_) / options.scale;
  if (!convex_ || left > near_solution || taken_ >= steps_of_a_hessian) {
    Matrix hessian(x_.size(), x_.size());
    problem.objective().hessian(x_, hessian);
    problem.smooth_rows().add_hessian(x_, y_.tail(y_.size() - problem.rows().count()), hessian);
    if (!hessian.allFinite()) return {};
    ++hessians_;
    convex_ = std::make_shared<const ConvexModel>(convexify(hessian, here.rows, y_, shift_));
    shift_ = convex_->shift;
    taken_ = 0;
  }
  ++taken_;
  return {[convex = convex_](const Matrix& columns) -> Matrix { return convex->factor.solve(columns); },
          pull_of(*convex_, here.rows, y_)};
}

bool SmoothSteps::go(const Problem& problem, const SmoothStepOptions& options, const Here& here,
                     const Matrix& pulled, const Matrix& bends, const Vector& d) {
  penalty_ = std::max(0.5 * penalty_, penalty_over_price * largest(y_));
  const double before = here.value + penalty_ * here.rows.violation(here.rows.value).sum();
  const double rms = options.output_change(d);
  const double longest = std::min(1.0, trust_ / std::max(rms, 1e-300));
  double length = longest;
  bool fell = false;
  const auto try_point = [&](const Vector& there, const Vector& values) {
    const double after = problem.objective().mean_value(there).value_or(infinity) +
                         penalty_ * here.rows.violation(values).sum();
    fell = after <= before - enough_fall * length * std::abs(here.gradient.dot(d));
    if (fell) x_ = there;
  };
  for (int k = 0; k < most_halvings && !fell; ++k) {
    if (k > 0) length /= 2;
    const Vector there = x_ + length * d;
    const Vector values = values_at(problem, there);
    try_point(there, values);
    if (fell || length < 1) continue;
    const Vector corrected = there + correction(bends, pulled, here.rows, y_, values);
    if (corrected.allFinite()) try_point(corrected, values_at(problem, corrected));
  }
  if (fell && length < longest)
    trust_ = std::max(least_trust, 2 * length * rms);
  else if (fell && longest < 1)
    trust_ *= 2;
  return fell;
}

bool SmoothSteps::take(const Problem& problem, const SmoothStepOptions& options) {
  Here here(problem, x_);
  const bool hessians = options.curvature == StepCurvature::hessian;
  const int before = hessians ? hessians_ : steps_;
  while ((hessians ? hessians_ : steps_) - before < options.most_steps && !options.stop()) {
    if (!here.finite()) return false;
    const Model model = model_at(problem, here, options);
    if (!model.solve) return false;
    ++steps_;
    const Matrix pulled = model.solve(here.rows.jacobian.transpose());
    const Vector newton = model.solve(here.gradient + model.pull);
    const Matrix bends = here.rows.jacobian * pulled;
    fit_prices(bends, here.rows.value - here.rows.jacobian * newton, here.rows, y_);
    const Vector d = -newton - pulled * y_;
    error_ = largest(here.gradient + here.rows.jacobian.transpose() * y_) / options.scale;
    if (error_ <= options.tolerance && largest(here.rows.violation(here.rows.value)) <= options.tolerance)
      return true;
    const Vector last = x_;
    if (!go(problem, options, here, pulled, bends, d)) {
      // What is remembered may be of another place: once more without it.
      const bool remembered = hessians ? taken_ > 1 : !memory_.empty();
      if (!remembered) return false;
      memory_ = {};
      convex_ = {};
      continue;
    }
    Here there(problem, x_);
    if (options.curvature == StepCurvature::limited_memory)
      memory_.remember(x_ - last, there.gradient - here.gradient +
                                      (there.rows.jacobian - here.rows.jacobian).transpose() * y_);
    here = std::move(there);
  }
  return false;
}

void describe_fit(Result& result, const Problem& stated, std::uint64_t seed, const FitCost& cost) {
  result.row_names = stated.row_names();
  result.variable_names = stated.variable_names();
  result.algorithm = "smooth rows";
  result.parameter_source = to_string(ParameterSource::automatic);
  result.found_by = FoundBy::second_order;
  result.second_order.ran = true;
  result.second_order.full_gradients = result.second_order.iterations;
  result.second_order.seconds = cost.working;
  PhaseTable phases = result.phases;
  phases[Phase::second_order] += {.full_gradients = result.second_order.full_gradients,
                                  .hessians = result.second_order.hessians,
                                  .seconds = cost.working};
  phases[Phase::judge] +=
      {.full_gradients = 2.0 * cost.verdicts, .seconds = cost.judging};  // and at the origin
  result.account(phases);
  result.seed = seed;
}

}  // namespace bridle
