// The objective as the phase sees it: the value and the gradient at the point it stands on, values along a
// line from there, and curvature.
#pragma once

#include <memory>

#include "bridle/problem/problem.hpp"

namespace bridle::second {

class Landscape {
 public:
  // Nothing when the objective offers no curvature, or no exact value and gradient. The problem must outlive
  // it. Of linear models all of it is computed from their outputs.
  static std::unique_ptr<Landscape> of(const Problem& problem);
  virtual ~Landscape() = default;

  double value() const { return value_; }
  const Vector& gradient() const { return gradient_; }
  bool convex() const { return convex_; }
  // True when a dense Hessian is cheap to have.
  virtual bool offers_hessian() const = 0;
  // True when every figure so far was finite.
  bool sound() const { return std::isfinite(value_) && gradient_.allFinite(); }

  // Stands at x.
  virtual void go_to(const Vector& x) = 0;

  // Looks along d from here. The root mean square change of the outputs for a step of length 1; 0 where the
  // objective has no outputs.
  virtual double look_along(const Vector& d) = 0;
  // f and its slope at length a; `point` is x + a d.
  virtual double value_at(double length, const Vector& point) = 0;
  virtual double slope_at(double length, const Vector& point) = 0;
  // Stands at that point, whose value is known.
  virtual void take(double length, const Vector& point, double value) = 0;

  // Of the point it stands on, of about this share of the samples; which ones depends on the turn.
  virtual void hessian(Matrix& out, double share, Index turn) = 0;
  // The share of the samples that tells enough of a dense Hessian for steps far from a solution.
  virtual double first_dense_share() const { return 1; }
  // Curvature for products: of this share of the samples, a different part every turn.
  virtual void prepare_products(double share, Index turn) = 0;
  virtual void product(const Vector& d, Vector& out) = 0;
  // A positive diagonal of the same size as the products' matrix.
  virtual Vector diagonal() = 0;
  // The share of the samples that tells enough of the curvature to begin with.
  virtual double first_share() const { return 1; }
  // The share of the samples that products take.
  double share() const { return share_; }

 protected:
  double value_ = infinity, share_ = 1;
  Vector gradient_;
  bool convex_ = false;
};

}  // namespace bridle::second
