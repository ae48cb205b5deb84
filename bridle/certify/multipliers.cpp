#include "bridle/certify/multipliers.hpp"

#include <vector>

#include <Eigen/Cholesky>

namespace bridle {
namespace {

// Beyond this many free multipliers Newton systems are solved by conjugate gradients instead of a dense
// factor.
constexpr Index dense_limit = 400;
// Beyond this many rows the fit is cut short: a rougher y, honestly judged, in seconds instead of minutes.
constexpr Index large_size = 5000;

class Fit {
 public:
  Fit(const Problem& problem, const Vector& x, const Vector& gradient, const MultiplierBounds& bounds)
      : problem_(problem), matrix_(problem.rows().matrix), x_(x), gradient_(gradient), bounds_(bounds) {}

  Vector minimise(Vector y) {
    clamp(y);
    double best = move_to(y);
    const bool large = y.size() > large_size;
    for (int step = 0; step < (large ? 10 : 60); ++step) {
      const Vector slope = -(matrix_ * descent_);
      collect_free(y, slope);
      double slope_norm = 0;
      for (const Index i : free_) slope_norm = std::hypot(slope_norm, slope[i]);
      if (free_.empty() || slope_norm <= 1e-15 * (1 + gradient_.norm())) break;

      const Vector direction = newton_direction(slope);
      bool lowered = false;
      for (double length = 1; length > 1e-9; length *= 0.5) {
        Vector trial = y;
        for (std::size_t k = 0; k < free_.size(); ++k)
          trial[free_[k]] += length * direction[static_cast<Index>(k)];
        clamp(trial);
        const double value = move_to(trial);
        if (value < best) {
          lowered = best - value > 1e-14 * best;
          best = value;
          y = trial;
          break;
        }
      }
      move_to(y);
      if (!lowered) break;
    }
    return y;
  }

 private:
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
    const double h = 1e-7 * (1e-12 + raw_.norm()) / length;
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
    return count <= dense_limit ? dense_newton(right) : conjugate_gradients(right);
  }

  Vector dense_newton(const Vector& right) const {
    const Index count = right.size();
    Matrix system(count, count);
    for (Index k = 0; k < count; ++k) {
      const Vector image = matrix_ * derivative(column(free_[static_cast<std::size_t>(k)]));
      for (Index r = 0; r < count; ++r) system(r, k) = image[free_[static_cast<std::size_t>(r)]];
    }
    system = 0.5 * (system + system.transpose().eval());
    // A relative ridge per row: rows may differ by many orders of magnitude.
    const double largest = system.diagonal().maxCoeff();
    for (Index k = 0; k < count; ++k) system(k, k) += 1e-11 * std::max(system(k, k), 1e-6 * largest) + 1e-300;
    return system.ldlt().solve(right);
  }

  Vector conjugate_gradients(const Vector& right) const {
    const auto apply = [&](const Vector& v) {
      Vector combination = Vector::Zero(matrix_.cols());
      for (std::size_t k = 0; k < free_.size(); ++k)
        for (SparseRows::InnerIterator it(matrix_, free_[k]); it; ++it)
          combination[it.col()] += it.value() * v[static_cast<Index>(k)];
      const Vector image = matrix_ * derivative(combination);
      Vector out(v.size());
      for (std::size_t k = 0; k < free_.size(); ++k) out[static_cast<Index>(k)] = image[free_[k]];
      return out;
    };
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
  Vector raw_, descent_;
  std::vector<Index> free_;
};

}  // namespace

MultiplierBounds multiplier_bounds(const Rows& rows, const Vector& activity, double width) {
  MultiplierBounds out{Vector::Zero(rows.count()), Vector::Zero(rows.count())};
  for (Index i = 0; i < rows.count(); ++i) {
    const double lower = rows.lower[i], upper = rows.upper[i];
    if (is_finite(upper) && upper - activity[i] <= width * (1 + std::abs(upper))) out.upper[i] = infinity;
    if (is_finite(lower) && activity[i] - lower <= width * (1 + std::abs(lower))) out.lower[i] = -infinity;
    if (rows.is_equality(i)) {
      out.lower[i] = -infinity;
      out.upper[i] = infinity;
    }
  }
  return out;
}

Vector fit_multipliers(const Problem& problem, const Vector& x, const Vector& gradient,
                       const MultiplierBounds& bounds, Vector y) {
  return Fit(problem, x, gradient, bounds).minimise(std::move(y));
}

}  // namespace bridle
