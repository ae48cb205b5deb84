#include "bridle/certify/multipliers.hpp"

#include <cmath>
#include <vector>

#include <Eigen/Cholesky>

namespace bridle {
namespace {

// Beyond this many free multipliers Newton systems are solved by conjugate gradients instead of a dense
// factor.
constexpr Index dense_limit = 400;
// Products of entries in a column, beyond which a Newton system is not written down.
constexpr double most_products = 1e8;
// Beyond this many rows the fit is cut short: a rougher y, honestly judged, in seconds instead of minutes.
constexpr Index large_size = 5000;
// Steps, at most. At a degenerate vertex it takes a hundred to find out which bounds hold.
constexpr int most_steps = 60, most_dense_steps = 200, most_large_steps = 10;
constexpr double ridge = 1e-10;  // of a Newton system's diagonal; what it takes away a solution gets back
constexpr int refinements = 1;
constexpr double rounding_of_slope = 1e-15;
constexpr double worth_a_step = 1e-14;  // of the value that is minimised: less is rounding
// How far to look for the derivative of a projection, relative: there rounding is small; and so near that no
// kink lies between where the first way leads nowhere.
constexpr double far_probe = 1e-7, near_probe = 1e-9;

class Fit {
 public:
  Fit(const Problem& problem, const SparseRows& matrix, const Vector& x, const Vector& gradient,
      const MultiplierBounds& bounds)
      : problem_(problem), matrix_(matrix), x_(x), gradient_(gradient), bounds_(bounds) {
    Vector entries = Vector::Zero(matrix.cols());
    for (Index i = 0; i < matrix.rows(); ++i)
      for (SparseRows::InnerIterator it(matrix, i); it; ++it) entries[it.col()] += 1;
    sparse_system_ = problem.set().bounds().has_value() && entries.squaredNorm() <= most_products;
  }

  struct Minimum {
    Vector y;
    double value;
    bool settled;  // not just out of steps
  };
  Minimum minimise(Vector y) {
    clamp(y);
    double best = move_to(y);
    const int most = y.size() > large_size     ? most_large_steps
                     : y.size() <= dense_limit ? most_dense_steps
                                               : most_steps;
    int step = 0;
    for (; step < most; ++step) {
      const Vector slope = -(matrix_ * descent_);
      collect_free(y, slope);
      double slope_norm = 0;
      for (const Index i : free_) slope_norm = std::hypot(slope_norm, slope[i]);
      if (free_.empty() || slope_norm <= rounding_of_slope * gradient_.norm() ||
          descent_.norm() <= 10 * rounding_of_slope * gradient_.norm())
        break;

      // On a degenerate face the Newton step may lead nowhere; the gradient never does.
      const double before = best;
      if (lower(newton_direction(slope), slope, y, best)) {
        if (best > 0.5 * before) probe_ = probe_ == far_probe ? near_probe : far_probe;
        continue;
      }
      Vector descent(static_cast<Index>(free_.size()));
      for (std::size_t k = 0; k < free_.size(); ++k) descent[static_cast<Index>(k)] = -slope[free_[k]];
      if (!lower(descent, slope, y, best)) break;
    }
    return {y, best, step < most};
  }

 private:
  // Halves the step along `direction` until the value falls; false when it does not, to rounding. The value
  // is convex in y: it falls by no more than the slope says, and where that is rounding one step is enough.
  bool lower(const Vector& direction, const Vector& slope, Vector& y, double& best) {
    double most = 0;
    for (std::size_t k = 0; k < free_.size(); ++k)
      most += std::abs(slope[free_[k]] * direction[static_cast<Index>(k)]);
    const double shortest = most <= worth_a_step * best ? 0.5 : 1e-9;
    bool lowered = false;
    for (double length = 1; length > shortest; length *= 0.5) {
      Vector trial = y;
      for (std::size_t k = 0; k < free_.size(); ++k)
        trial[free_[k]] += length * direction[static_cast<Index>(k)];
      clamp(trial);
      const double value = move_to(trial);
      if (value < best) {
        lowered = best - value > worth_a_step * best;
        best = value;
        y = trial;
        break;
      }
    }
    move_to(y);
    return lowered;
  }

  void clamp(Vector& y) const { y = y.cwiseMax(bounds_.lower).cwiseMin(bounds_.upper); }

  // descent_ <- P_T(-(gradient + A'y)); returns the value being minimised.
  double move_to(const Vector& y) {
    raw_ = -gradient_ - matrix_.transpose() * y;
    descent_ = raw_;
    problem_.set().project_tangent(x_, descent_);
    return 0.5 * descent_.squaredNorm();
  }

  void collect_free(const Vector& y, const Vector& slope) {
    free_.clear();
    for (Index i = 0; i < y.size(); ++i) {
      const bool blocked =
          (y[i] <= bounds_.lower[i] && slope[i] >= 0) || (y[i] >= bounds_.upper[i] && slope[i] <= 0);
      if (!blocked) free_.push_back(i);
    }
  }

  // P_T'(raw; v): exact for small v because P_T is piecewise linear.
  Vector derivative(const Vector& v) const {
    const double length = v.norm();
    if (length == 0) return v;
    const double h = probe_ * std::max(1e-12 * gradient_.norm(), raw_.norm()) / length;
    if (!(h > 0)) return v;
    Vector moved = raw_ + h * v;
    problem_.set().project_tangent(x_, moved);
    return (moved - descent_) / h;
  }

  Vector column(Index i) const {
    Vector a = Vector::Zero(matrix_.cols());
    for (SparseRows::InnerIterator it(matrix_, i); it; ++it) a[it.col()] = it.value();
    return a;
  }

  // Solves (A_F P_T' A_F' + small I) d = -slope_F.
  Vector newton_direction(const Vector& slope) const {
    const auto count = static_cast<Index>(free_.size());
    Vector right(count);
    for (Index k = 0; k < count; ++k) right[k] = -slope[free_[static_cast<std::size_t>(k)]];
    if (sparse_system_) {
      const SparseRows system = box_system();
      if (count <= dense_limit) return solve_dense(Matrix(system), right);
      return conjugate_gradients(right, [&](const Vector& v) -> Vector { return system * v; });
    }
    if (count <= dense_limit) return solve_dense(probed_system(), right);
    return conjugate_gradients(right, [&](const Vector& v) { return product_with_system(v); });
  }

  // A_F P_T' A_F' where X is a box: P_T' is 1 for variables that follow their descent, 0 for those that a
  // bound holds.
  SparseRows box_system() const {
    const Vector follows = derivative(Vector::Ones(matrix_.cols()));
    SparseRows kept(static_cast<Index>(free_.size()), matrix_.cols());
    for (std::size_t k = 0; k < free_.size(); ++k) {
      kept.startVec(static_cast<Index>(k));
      for (SparseRows::InnerIterator it(matrix_, free_[k]); it; ++it)
        if (follows[it.col()] > 0.5) kept.insertBack(static_cast<Index>(k), it.col()) = it.value();
    }
    kept.finalize();
    return kept * SparseRows(kept.transpose());
  }

  // The same for any X, a column at a time.
  Matrix probed_system() const {
    const auto count = static_cast<Index>(free_.size());
    Matrix system(count, count);
    for (Index k = 0; k < count; ++k) {
      const Vector image = matrix_ * derivative(column(free_[static_cast<std::size_t>(k)]));
      for (Index r = 0; r < count; ++r) system(r, k) = image[free_[static_cast<std::size_t>(r)]];
    }
    return 0.5 * (system + system.transpose());
  }

  static Vector solve_dense(const Matrix& system, const Vector& right) {
    const Index count = right.size();
    Matrix raised = system;
    // A relative ridge per row: rows may differ by many orders of magnitude.
    const double largest = system.diagonal().maxCoeff();
    for (Index k = 0; k < count; ++k) raised(k, k) += ridge * std::max(system(k, k), 1e-6 * largest) + 1e-300;
    const auto factor = raised.ldlt();
    Vector solution = factor.solve(right);
    for (int again = 0; again < refinements; ++again) solution += factor.solve(right - system * solution);
    return solution;
  }

  Vector product_with_system(const Vector& v) const {
    Vector combination = Vector::Zero(matrix_.cols());
    for (std::size_t k = 0; k < free_.size(); ++k)
      for (SparseRows::InnerIterator it(matrix_, free_[k]); it; ++it)
        combination[it.col()] += it.value() * v[static_cast<Index>(k)];
    const Vector image = matrix_ * derivative(combination);
    Vector out(v.size());
    for (std::size_t k = 0; k < free_.size(); ++k) out[static_cast<Index>(k)] = image[free_[k]];
    return out;
  }

  Vector conjugate_gradients(const Vector& right, const std::function<Vector(const Vector&)>& apply) const {
    Vector solution = Vector::Zero(right.size()), residual = right, search = right;
    double square = residual.squaredNorm();
    const double stop = 1e-20 * square;
    const int most = matrix_.rows() > large_size ? 60 : 500;
    for (int k = 0; k < most && square > stop; ++k) {
      const Vector image = apply(search);
      const double curvature = search.dot(image);
      if (!(curvature > 0)) break;
      solution += square / curvature * search;
      residual -= square / curvature * image;
      const double next = residual.squaredNorm();
      search = residual + next / square * search;
      square = next;
    }
    return solution;
  }

  const Problem& problem_;
  const SparseRows& matrix_;
  const Vector& x_;
  const Vector& gradient_;
  const MultiplierBounds& bounds_;
  bool sparse_system_ = false;
  double probe_ = far_probe;
  Vector raw_, descent_;
  std::vector<Index> free_;
};

}  // namespace

MultiplierBounds multiplier_bounds(const Rows& rows, const Vector& activity,
                                   const std::function<bool(Index, double)>& touched) {
  MultiplierBounds out{Vector::Zero(rows.count()), Vector::Zero(rows.count())};
  for (Index i = 0; i < rows.count(); ++i) {
    const double lower = rows.lower[i], upper = rows.upper[i];
    const bool equality = rows.is_equality(i);
    if (equality || (is_finite(upper) && (activity[i] > upper || touched(i, upper)))) out.upper[i] = infinity;
    if (equality || (is_finite(lower) && (activity[i] < lower || touched(i, lower))))
      out.lower[i] = -infinity;
  }
  return out;
}

Vector fitting_weights(Vector weights) {
  double smallest = infinity;
  for (const double scale : weights)
    if (scale > 0) smallest = std::min(smallest, scale);
  if (!is_finite(smallest)) return Vector::Ones(weights.size());
  // Relative to the smallest scale, so that nothing overflows.
  for (double& weight : weights) weight = weight > 0 ? smallest / weight : 1;
  return weights;
}

Vector fit_multipliers(const Problem& problem, const Vector& x, const Vector& gradient, const Vector& weights,
                       const MultiplierBounds& bounds, const Vector& y) {
  SparseRows matrix = problem.rows().matrix;
  Vector length = Vector::Ones(y.size());
  for (Index i = 0; i < matrix.rows(); ++i) {
    double largest = 0, squares = 0;
    for (SparseRows::InnerIterator it(matrix, i); it; ++it) {
      it.valueRef() *= weights[it.col()];
      largest = std::max(largest, std::abs(it.value()));
    }
    if (!(largest > 0) || !std::isfinite(largest)) continue;
    for (SparseRows::InnerIterator it(matrix, i); it; ++it)
      squares += (it.value() / largest) * (it.value() / largest);
    length[i] = largest * std::sqrt(squares);
    for (SparseRows::InnerIterator it(matrix, i); it; ++it) it.valueRef() /= length[i];
  }
  // The weights are the same within a block, and cones are cones in any unit: P_T commutes with them.
  const Vector weighted = gradient.cwiseProduct(weights);
  Fit fit(problem, matrix, x, weighted, bounds);
  Fit::Minimum found = fit.minimise(y.cwiseProduct(length));
  if (!found.settled &&
      y.size() <= dense_limit) {  // from a wrong corner the way may be longer than from none
    Fit::Minimum other = fit.minimise(Vector::Zero(y.size()));
    if (other.value < found.value) found = std::move(other);
  }
  return found.y.cwiseQuotient(length);
}

}  // namespace bridle
