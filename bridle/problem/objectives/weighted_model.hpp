// A linear model whose samples count by weights: f(x) = sum_i w_i V(a_i'x, label_i) / sum_i w_i + the model's
// ridge.
#pragma once

#include "bridle/problem/objectives/linear_model.hpp"

namespace bridle {

class WeightedModel {
 public:
  static constexpr bool thread_safe = true;

  // Weights are >= 0, one per sample, and not all 0; the model holds all its samples itself. Throws
  // InputError.
  WeightedModel(LinearModel model, Vector weights);

  Index dimension() const { return model_.dimension(); }
  Index sample_count() const { return model_.sample_count(); }
  // Of a sample: N w_i / sum of weights times its loss, so that the mean over all samples is f.
  void gradient(ConstVectorRef x, Sample sample, VectorRef out) const;
  double value(ConstVectorRef x, Sample sample) const;

  double mean_value(ConstVectorRef x) const;
  void mean_gradient(ConstVectorRef x, VectorRef out) const;
  double value_and_gradient(ConstVectorRef x, VectorRef out) const;
  void hessian(ConstVectorRef x, Matrix& out) const;
  std::optional<double> smoothness() const;
  bool convex() const { return model_.convex(); }
  Names variable_names() const { return model_.variable_names(); }

  const LinearModel& model() const { return model_; }
  const Vector& weights() const { return shares_; }  // their mean is 1

 private:
  double ridge_value(ConstVectorRef x) const;

  LinearModel model_;
  Vector shares_;
};

}  // namespace bridle
