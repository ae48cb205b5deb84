#include "bridle/diagnose/diagnosis.hpp"

#include <cmath>

namespace bridle {

Vector Diagnosis::residual(const Vector& v) const {
  Vector r(form_.rows());
  form_.residual(v, r);
  return r;
}

double Diagnosis::value(const Subproblem& sub, const Vector& v) const {
  const Vector r = residual(v);
  const Vector x = form_.column_scale().cwiseProduct(v.head(form_.variables()));
  double sum = form_.problem().objective().mean_value(x).value_or(std::nan("")) + sub.y.dot(r) +
               0.5 * sub.rho * r.squaredNorm() + 0.5 * c_.mu * (v - sub.z).squaredNorm();
  if (sub.anchor) sum += 0.5 * sub.extra * (v - *sub.anchor).squaredNorm();
  return sum;
}

void Diagnosis::gradient(const Subproblem& sub, const Vector& v, Vector& out) const {
  Vector point(form_.variables());
  form_.mean_gradient(v, out, point);
  form_.add_adjoint(sub.y + sub.rho * residual(v), out);
  out += c_.mu * (v - sub.z);
  if (sub.anchor) out += sub.extra * (v - *sub.anchor);
}

// Nesterov's method for a strongly convex function over V. With m the modulus and L the smoothness, the
// gradient mapping g = L (w - proj(w - grad/L)) at the extrapolated point w bounds the distance of the new
// point: |v - v*| <= (2/m)|g|.
InnerSolution Diagnosis::minimise(const Subproblem& sub, Vector start, double accuracy) const {
  const double extra = sub.anchor ? sub.extra : 0;
  const double modulus = c_.mu - c_.smoothness + extra;
  const double smooth = c_.smoothness + sub.rho * c_.row_norm * c_.row_norm + c_.mu + extra;
  const double momentum = (std::sqrt(smooth) - std::sqrt(modulus)) / (std::sqrt(smooth) + std::sqrt(modulus));
  form_.project(start);
  Vector v = start, previous = start, ahead = start, slope(v.size());
  InnerSolution out{v, 0, infinity};
  for (int k = 0; k < 200'000; ++k) {
    gradient(sub, ahead, slope);
    previous.swap(v);
    v = ahead - slope / smooth;
    form_.project(v);
    out.error = 2 / modulus * smooth * (ahead - v).norm();
    if (out.error <= accuracy || !std::isfinite(out.error)) break;
    ahead = v + momentum * (v - previous);
  }
  out.value = value(sub, v);
  out.v = std::move(v);
  return out;
}

InnerSolution Diagnosis::dual_function(const Vector& y, const Vector& z) const {
  return minimise({y, z, c_.rho, nullptr, 0}, z, accuracy_);
}

InnerSolution Diagnosis::proximal(const Vector& x, const Vector& y, const Vector& z) const {
  return minimise({y, z, c_.rho, &x, c_.lambda()}, x, accuracy_);
}

// The method of multipliers with a penalty so large that the residual falls to a fifth or less in each round.
//
// With y the multipliers after the round, v minimises f + (mu/2)|. - z|^2 + <A . - b, y> over V, and strong
// convexity at v and at xbar gives m |v - xbar|^2 <= |y - y*| |A v - b|. A residual that falls to a fifth
// each round leaves |y - y*| <= rho |A v - b| / 4, hence the error below. One small residual proves nothing
// (rows that are nearly parallel hide a distant minimiser), so two falls in a row are asked for.
InnerSolution Diagnosis::envelope(const Vector& z) const {
  const double a2 = c_.row_norm * c_.row_norm, modulus = c_.mu - c_.smoothness;
  double rho = a2 > 0 ? 100 * (c_.mu + c_.smoothness) / a2 : 0;
  const double largest_rho = 1e6 * rho;
  Vector y = Vector::Zero(form_.rows());
  InnerSolution out{z, 0, infinity};
  double last = infinity;
  int falls = -1;  // the first round falls from nowhere
  for (int round = 0; round < 60; ++round) {
    const Subproblem sub{y, z, rho, nullptr, 0};
    out = minimise(sub, out.v, std::min(accuracy_, 1e-9));
    const Vector r = residual(out.v);
    const double broken = r.norm();
    const double floor = 2 * c_.row_norm * out.error;  // what the inner error alone may leave
    const bool fell = broken <= std::max(0.2 * last, floor);
    y += rho * r;
    if (rho > 0) out.error += broken * std::max(1.0, 0.5 * std::sqrt(rho / modulus));
    falls = fell ? falls + 1 : 0;
    if (broken == 0 || (falls >= 2 && (out.error <= accuracy_ || broken <= floor))) break;
    if (!fell) rho = std::min(4 * rho, largest_rho);
    last = broken;
  }
  // At a feasible point the Lagrangian's value is Psi to second order in the error.
  const Vector x = form_.column_scale().cwiseProduct(out.v.head(form_.variables()));
  out.value = form_.problem().objective().mean_value(x).value_or(std::nan("")) + y.dot(residual(out.v)) +
              0.5 * c_.mu * (out.v - z).squaredNorm();
  return out;
}

double Diagnosis::smoothed_lagrangian(const Vector& x, const Vector& y, const Vector& z) const {
  return value({y, z, c_.rho, nullptr, 0}, x);
}

double Diagnosis::potential(const Vector& x, const Vector& y, const Vector& z) const {
  return proximal(x, y, z).value - 2 * dual_function(y, z).value + 2 * envelope(z).value;
}

}  // namespace bridle
