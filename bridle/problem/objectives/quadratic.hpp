// f(x) = offset + c'x + x'Qx/2, Q sparse, symmetric, possibly indefinite, with optional gradient noise.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "bridle/core/error.hpp"
#include "bridle/core/random.hpp"
#include "bridle/problem/objective.hpp"

namespace bridle {

// grad f(x, xi) = grad f(x) + additive e + multiplicative D x, with E e = 0, E|e|^2 = 1 (Gaussian) and D a
// random diagonal of signs. The second part makes the noise depend on x, so that variance reduction has
// something to reduce.
struct GradientNoise {
  double additive = 0;
  double multiplicative = 0;
};

class Quadratic {
 public:
  Quadratic(SparseColumns hessian, Vector cost, double offset = 0, GradientNoise noise = {})
      : hessian_(std::move(hessian)), cost_(std::move(cost)), offset_(offset), noise_(noise) {
    if (hessian_.rows() != cost_.size() || hessian_.cols() != cost_.size())
      throw InputError("quadratic: Q is " + std::to_string(hessian_.rows()) + " x " +
                       std::to_string(hessian_.cols()) + " but c has " + std::to_string(cost_.size()) +
                       " entries");
    if (SparseColumns(hessian_.transpose()).isApprox(hessian_, 1e-12) == false)
      throw InputError("quadratic: Q is not symmetric");
    if (!(noise.additive >= 0) || !(noise.multiplicative >= 0))
      throw InputError("quadratic: noise must be >= 0");
  }

  Index dimension() const { return cost_.size(); }
  Index sample_count() const { return noise_.additive > 0 || noise_.multiplicative > 0 ? endless : 1; }

  void gradient(ConstVectorRef x, Sample sample, VectorRef out) const {
    mean_gradient(x, out);
    const Stream stream(sample, Purpose::noise);
    if (noise_.additive > 0) {
      const double scale = noise_.additive / std::sqrt(static_cast<double>(dimension()));
      for (Index j = 0; j < dimension(); j += 2) {
        double pair[2];
        stream.fill_normal(Eigen::Map<Vector>(pair, 2), static_cast<std::uint64_t>(j));
        out[j] += scale * pair[0];
        if (j + 1 < dimension()) out[j + 1] += scale * pair[1];
      }
    }
    if (noise_.multiplicative > 0)
      for (Index j = 0; j < dimension(); ++j) {
        const bool up = stream.bits(static_cast<std::uint64_t>(j), 1).first & 1;
        out[j] += (up ? noise_.multiplicative : -noise_.multiplicative) * x[j];
      }
  }

  void mean_gradient(ConstVectorRef x, VectorRef out) const {
    out = cost_;
    for (Index k = 0; k < hessian_.outerSize(); ++k)
      for (SparseColumns::InnerIterator it(hessian_, k); it; ++it) out[it.row()] += it.value() * x[k];
  }

  double mean_value(ConstVectorRef x) const {
    double curved = 0;
    for (Index k = 0; k < hessian_.outerSize(); ++k)
      for (SparseColumns::InnerIterator it(hessian_, k); it; ++it) curved += it.value() * x[k] * x[it.row()];
    return offset_ + cost_.dot(x) + 0.5 * curved;
  }

  double value_and_gradient(ConstVectorRef x, VectorRef out) const {
    mean_gradient(x, out);
    return offset_ + 0.5 * (out + cost_).dot(x);
  }
  void hessian_product(ConstVectorRef, ConstVectorRef direction, VectorRef out) const {
    out.setZero();
    for (Index k = 0; k < hessian_.outerSize(); ++k)
      for (SparseColumns::InnerIterator it(hessian_, k); it; ++it) out[it.row()] += it.value() * direction[k];
  }
  void hessian(ConstVectorRef, Matrix& out) const { out = hessian_; }

  // The largest absolute row sum bounds the spectral norm of a symmetric matrix.
  std::optional<double> smoothness() const {
    Vector sums = Vector::Zero(dimension());
    for (Index k = 0; k < hessian_.outerSize(); ++k)
      for (SparseColumns::InnerIterator it(hessian_, k); it; ++it) sums[it.row()] += std::abs(it.value());
    return sums.size() ? sums.maxCoeff() : 0.0;
  }

  Vector curvature_diagonal() const { return hessian_.diagonal().cwiseAbs(); }

  // Q = S (correlations) S with S^2 the diagonal; the correlations, raised by 1e-10, have a Cholesky factor.
  // False also where the factor would be too large to ask for.
  bool convex() const;

  const SparseColumns& hessian() const { return hessian_; }
  const Vector& cost() const { return cost_; }
  const GradientNoise& noise() const { return noise_; }

 private:
  SparseColumns hessian_;
  Vector cost_;
  double offset_;
  GradientNoise noise_;
};

}  // namespace bridle
