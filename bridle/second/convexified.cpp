#include "bridle/second/convexified.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

namespace bridle::second {
namespace {

constexpr double row_weights[] = {0, 1, 100};  // of the rows' squares, over the largest curvature
constexpr double least_definite = 1e-9, least_turned = 1e-6;  // over the largest curvature
constexpr double curvature_over_price = 1e-4;                 // where f and rows have none

}  // namespace

Convexified convexified(const Matrix& lagrangian, const SmoothLocal& at, const Vector& unit,
                        const Vector& off, double price) {
  const Matrix scaled = unit.asDiagonal() * lagrangian * unit.asDiagonal();
  price = std::max(price, at.gradient.cwiseProduct(unit).lpNorm<Eigen::Infinity>());
  const double size = std::max({scaled.cwiseAbs().maxCoeff(), curvature_over_price * price, 1e-300});
  const SparseRows rows = at.jacobian * unit.asDiagonal();
  Matrix squares = Matrix::Zero(scaled.rows(), scaled.cols());
  Vector pull = Vector::Zero(scaled.rows());
  for (Index i = 0; i < off.size(); ++i) {
    const double length = std::sqrt(rows.row(i).squaredNorm());
    if (!std::isfinite(off[i]) || !(length > 0)) continue;
    const Vector row = Vector(rows.row(i).transpose()) / length;
    squares += row * row.transpose();
    pull += row * (off[i] / length);
  }
  const Vector inverse = unit.cwiseInverse();
  const auto in_user_units = [&](const Matrix& model, const Vector& slope) {
    const Matrix curvature = inverse.asDiagonal() * model * inverse.asDiagonal();
    return Convexified{0.5 * (curvature + curvature.transpose()), at.gradient + slope.cwiseProduct(inverse)};
  };
  Matrix tried;
  for (const double weight : row_weights) {
    tried = scaled + weight * size * squares;
    Matrix safe = tried;
    safe.diagonal().array() -= least_definite * size;
    if (safe.llt().info() == Eigen::Success) return in_user_units(tried, weight * size * pull);
  }
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(tried);
  const Vector values = eigen.eigenvalues().cwiseAbs().cwiseMax(least_turned * size);
  return in_user_units(eigen.eigenvectors() * values.asDiagonal() * eigen.eigenvectors().transpose(),
                       row_weights[2] * size * pull);
}

}  // namespace bridle::second
