#include "bridle/second/face_curvature.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>

#include "bridle/core/random.hpp"
#include "bridle/second/face_space.hpp"

namespace bridle::second {
namespace {

constexpr Index most_lanczos_steps = 60;
// Eigenvalues of a small matrix are found in no time: after every step. Later after every fourth.
constexpr Index small = 20, steps_between_looks = 4;

}  // namespace

FaceCurvature least_curvature(const Region& region, const Vector& x, const Vector& metric,
                              const std::function<void(const Vector&, Vector&)>& product, Work& work) {
  const Index n = region.dimension();
  const FaceSpace space(region, region.touched_by(x), metric);
  const Vector root = metric.cwiseSqrt();
  // In v = M^(1/2) d the projection onto the face is orthogonal.
  const auto projected = [&](const Vector& v) {
    return Vector(root.cwiseProduct(space.step(root.cwiseProduct(v))));
  };
  FaceCurvature out;
  Vector v(n), image;
  Stream(0, Purpose::generator).fill_normal(v, 1);
  v = projected(v);
  if (!(v.norm() > 1e-8 * std::sqrt(static_cast<double>(n)))) return out;
  v.normalize();
  Matrix basis(n, std::min(n, most_lanczos_steps));
  std::vector<double> diagonal, beside;
  double scale = 0;  // of the entries so far
  for (Index k = 0; k < basis.cols() && !work.stopped(); ++k) {
    basis.col(k) = v;
    product(v.cwiseQuotient(root), image);
    Vector next = projected(image.cwiseQuotient(root));
    diagonal.push_back(v.dot(next));
    for (int twice = 0; twice < 2; ++twice)
      next -= basis.leftCols(k + 1) * (basis.leftCols(k + 1).transpose() * next);
    next = projected(next);  // what rounding leaves across the face would grow from step to step
    const double left = next.norm();
    const auto size = static_cast<Index>(diagonal.size());
    scale = std::max({scale, std::abs(diagonal.back()), left});
    const bool ends = size == basis.cols() || left <= 1e-12 * scale;
    if (ends || size <= small || size % steps_between_looks == 0) {
      Eigen::SelfAdjointEigenSolver<Matrix> ritz;
      ritz.computeFromTridiagonal(Eigen::Map<Vector>(diagonal.data(), size),
                                  Eigen::Map<Vector>(beside.data(), size - 1));
      out.least = ritz.eigenvalues()[0];
      const Vector mix = ritz.eigenvectors().col(0);
      const double residual = left * std::abs(mix[size - 1]);
      const double largest = ritz.eigenvalues().cwiseAbs().maxCoeff();
      if (ends || residual <= 1e-3 * std::abs(out.least) + 1e-10 * largest) {
        out.direction = (basis.leftCols(size) * mix).cwiseQuotient(root);
        break;
      }
    }
    beside.push_back(left);
    v = next / left;
  }
  return out;
}

}  // namespace bridle::second
