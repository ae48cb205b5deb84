// What second-order steps need of a linear model: sums over its samples as functions of the outputs t = X x,
// so that a line search never passes over the data.
#pragma once

#include <memory>

#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/problem/objectives/row_passes.hpp"

namespace bridle {

// The model must outlive its sums. Vectors t, w, ... have one entry per row held in this process, and where
// passes are shared are right for its own part of them; means are over the samples of all processes, and
// asking for one is a collective. The ridge takes no part. Passes run over the threads in use, with the same
// bits for any number of them.
class LinearSums {
 public:
  explicit LinearSums(const LinearModel& model);

  Index rows() const { return features_->rows(); }
  const LinearModel& model() const { return model_; }

  // t <- X x
  void outputs(ConstVectorRef x, Vector& t) const;
  // mean of V(t_i + length u_i)
  double mean_loss(const Vector& t) const;
  double mean_loss(const Vector& t, const Vector& u, double length) const;
  // slopes_i <- V'(t_i), bends_i <- V''(t_i)
  void derivatives(const Vector& t, Vector& slopes, Vector& bends) const;
  // mean of v_i w_i
  double mean_product(const Vector& v, const Vector& w) const;
  // out <- mean of w_i a_i
  void mean_row(const Vector& w, VectorRef out) const;
  // out <- mean of w_i a_i a_i', all of it
  void mean_square(const Vector& w, Matrix& out) const;
  // out <- mean of w_i a_i (a_i'd)
  void mean_square_product(const Vector& w, ConstVectorRef d, VectorRef out) const;
  // out_j <- mean of |w_i| a_ij^2
  void mean_square_diagonal(const Vector& w, VectorRef out) const;

  // The same over every stride-th sample from number `offset` on; means are over those. Their weights are
  // w(offset), w(offset + stride), ... Rows are copied, where passes are shared those alone that sums of this
  // kind need here: it offers mean_square, or the others.
  enum class Kind { vectors, squares };
  LinearSums sample(Index stride, Index offset, Kind kind) const;
  Vector pick(const Vector& w) const;

 private:
  struct PassSize {
    double work, result;
  };
  PassSize size_of_vectors() const;
  PassSize size_of_squares() const;
  double samples() const { return samples_ > 0 ? samples_ : static_cast<double>(model_.sample_count()); }

  const LinearModel& model_;
  std::shared_ptr<const Features> part_;  // of a sample
  const Features* features_;
  RowPasses passes_, passes_of_all_;
  Index stride_ = 1, start_ = 0;  // of a sample: rows here
  double samples_ = 0;            // of a sample, over all processes
};

}  // namespace bridle
