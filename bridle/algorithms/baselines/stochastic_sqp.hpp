// Berahas, Curtis, Robinson and Zhou 2021 (complexity: Curtis, O'Neill and Robinson 2024): stochastic SQP for
// A x = b, X = R^n; eps^-4. With c = A x - b and the identity for the Hessian,
//   A A'y = c - A g,  d = -(g + A'y);
//   merit <- merit if merit <= trial else (1 - e) trial, trial = (1 - s)|c|_1/(g'd + |d|^2) (infinite if that
//   is <= 0); delta = -merit (g'd + |d|^2/2) + |c|_1;  ratio <- ratio if ratio <= delta/(merit |d|^2) else (1
//   - e) of that; step in [low, low + theta b^2], low = b ratio/L, nearest to
//     a1 = b delta/(merit L |d|^2) if a1 < 1, else to max(1, a2), a2 = a1 - 4|c|_1/(merit L |d|^2);
//   x <- x + step d.
// The rows are linear: the Lipschitz constant of their Jacobian is 0. Uses mu as L and tau as b/L. The
// state's own: merit, ratio.
#pragma once

#include <Eigen/Cholesky>

#include "bridle/algorithms/baselines/vector_method.hpp"

namespace bridle {

class StochasticSqp final : public VectorMethod {
 public:
  StochasticSqp(const StandardForm& standard, const Iterate& start, const MethodSettings& settings)
      : VectorMethod(standard, start, settings), residual_(standard.rows()), image_(standard.rows()) {
    Matrix gram = Matrix(standard.matrix() * SparseRows(standard.matrix().transpose()));
    for (std::size_t k = 0; k < standard.slack_rows().size(); ++k)
      gram(standard.slack_rows()[k], standard.slack_rows()[k]) +=
          std::pow(standard.slack_coefficient()[static_cast<Index>(k)], 2);
    factor_.compute(gram);
    if (now.own.size() == 0) now.own = Vector::Ones(2);
  }

 private:
  static constexpr double s = 0.5, e = 1e-6, theta = 1e4;

  void step(const Parameters& p, std::uint64_t /*t*/, std::uint64_t /*horizon*/) override {
    double &merit = now.own[0], &ratio = now.own[1];
    const double L = p.mu, b = p.tau * p.mu;
    form.residual(now.x, residual_);
    sample_gradient();
    image_.noalias() = form.matrix() * gradient.head(form.variables());  // g is 0 on slacks
    now.y = residual_ - image_;
    factor_.solveInPlace(now.y);
    direction_ = gradient;
    form.add_adjoint(now.y, direction_);
    direction_ *= -1;
    const double length = direction_.squaredNorm(), broken = residual_.lpNorm<1>();
    if (!(length > 0)) return;
    const double slope = gradient.dot(direction_);
    if (const double trial = (1 - s) * broken / (slope + length); slope + length > 0 && merit > trial)
      merit = (1 - e) * trial;
    const double delta = -merit * (slope + 0.5 * length) + broken;
    if (const double trial = delta / (merit * length); ratio > trial) ratio = (1 - e) * trial;
    const double a1 = b * delta / (merit * L * length), a2 = a1 - 4 * broken / (merit * L * length);
    const double low = b * ratio / L;
    now.x += std::clamp(a1 < 1 ? a1 : std::max(1.0, a2), low, low + theta * b * b) * direction_;
    form.project(now.x);  // X = R^n: nothing
  }

  Eigen::LLT<Matrix> factor_;
  Vector residual_, image_, direction_;
};

}  // namespace bridle
