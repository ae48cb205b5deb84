// A problem with smooth rows as its second-order steps see it: all rows together, linear, of X, and smooth,
// with values, slopes and the curvature of the Lagrangian at a point.
#pragma once

#include <memory>

#include "bridle/second/landscape.hpp"
#include "bridle/second/region.hpp"
#include "bridle/second/work.hpp"

namespace bridle::second {

struct SmoothLocal {
  Vector x;
  double value = infinity;
  Vector gradient;
  Vector activity;      // of all rows
  SparseRows jacobian;  // of all rows; empty where only values were asked for

  bool finite() const;
};

class SmoothModel {
 public:
  SmoothModel(const Problem& problem, Work& work);

  Index dimension() const { return region_.dimension(); }
  Index count() const { return lower_.size(); }
  const Vector& lower() const { return lower_; }  // of rows
  const Vector& upper() const { return upper_; }
  const Vector& least() const { return region_.lower; }  // of variables
  const Vector& most() const { return region_.upper; }
  bool equality(Index i) const { return lower_[i] == upper_[i]; }
  bool bends(Index i) const { return i >= region_.count(); }

  // f and the rows' values; with slopes if wanted.
  SmoothLocal at(const Vector& x, bool slopes);
  // The Hessian of f + y'c at x, dense.
  Matrix curvature(const Vector& x, const Vector& y);

  // Distances to the bounds: negative below the lower one, positive above the upper one.
  double broken(Index i, double activity) const {
    return activity < lower_[i] ? activity - lower_[i] : activity > upper_[i] ? activity - upper_[i] : 0;
  }
  // Between the multipliers of the problem and those of all rows.
  Vector to_all(const Vector& multipliers) const;
  Vector to_problem(const Vector& all) const;

 private:
  Matrix objective_curvature(const Vector& x);

  const Problem& problem_;
  Work& work_;
  Region region_;
  std::unique_ptr<Landscape> landscape_;  // null: no curvature is offered, and differences are taken
  Vector lower_, upper_;
};

}  // namespace bridle::second
