// Smooth rows over the scores t_i = a_i'x of a linear model: sum_i W_ir sigma(slope t_i), sigma the logistic
// function. With W_ir = 1/n for the samples of one group and -1/n for those of another they are differences
// of smoothed rates.
#pragma once

#include <cmath>

#include "bridle/problem/objectives/linear_sums.hpp"
#include "bridle/problem/smooth_rows.hpp"

namespace bridle {

class RateRows {
 public:
  // `weights`: W, one row per sample of the model, one column per row.
  RateRows(LinearModel model, double slope, Matrix weights)
      : model_(std::move(model)), slope_(slope), weights_(std::move(weights)) {}

  Index dimension() const { return model_.dimension(); }
  Index count() const { return weights_.cols(); }
  void value(ConstVectorRef x, VectorRef out) const { out = weights_.transpose() * decided(x); }
  void value_and_jacobian(ConstVectorRef x, VectorRef value, Matrix& jacobian) const {
    const Vector s = decided(x);
    value = weights_.transpose() * s;
    const Vector bend = slope_ * s.array() * (1 - s.array());
    Vector row(dimension());
    for (Index r = 0; r < count(); ++r) {
      LinearSums(model_).mean_row(weights_.col(r).cwiseProduct(bend), row);
      jacobian.row(r) = samples() * row.transpose();
    }
  }
  void jacobian(ConstVectorRef x, Matrix& out) const {
    Vector value(count());
    value_and_jacobian(x, value, out);
  }
  void hessian(ConstVectorRef x, ConstVectorRef y, Matrix& out) const {
    const Vector s = decided(x);
    const Vector bends = slope_ * slope_ * s.array() * (1 - s.array()) * (1 - 2 * s.array());
    LinearSums(model_).mean_square((weights_ * y).cwiseProduct(bends), out);
    out *= samples();
  }

 private:
  double samples() const { return static_cast<double>(model_.sample_count()); }
  // sigma(slope t_i): near 1 where the decision is yes.
  Vector decided(ConstVectorRef x) const {
    Vector t(weights_.rows());
    LinearSums(model_).outputs(x, t);
    for (double& score : t) {  // without overflow
      const double e = std::exp(-std::abs(slope_ * score));
      score = score > 0 ? 1 / (1 + e) : e / (1 + e);
    }
    return t;
  }

  LinearModel model_;
  double slope_;
  Matrix weights_;
};

}  // namespace bridle
