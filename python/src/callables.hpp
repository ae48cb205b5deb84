// Objectives and constraints that are Python callables. The library works without the interpreter's lock and
// takes it for each call.
#pragma once

#include <memory>
#include <span>

#include <pybind11/numpy.h>

#include "bridle/problem/objective.hpp"

#include "convert.hpp"

namespace bridle::python {

// fun(x), fun(x, indices) or fun(x, rng) -> (value, gradient).
class Callable {
 public:
  enum class Kind { plain, indices, random };
  Callable(py::object function, Kind kind, Index dimension);

  Index dimension() const { return dimension_; }
  // One call: the mean over these samples of a finite sum, the first of them otherwise. Fills the gradient.
  double operator()(ConstVectorRef x, std::span<const Sample> samples, VectorRef gradient) const;
  // The value alone, of one random sample: known where its gradient at x was the last to be asked for, as the
  // judge does.
  double value(ConstVectorRef x, Sample sample) const;
  std::uint64_t calls() const;

 private:
  struct State;
  double call(State& state, ConstVectorRef x, std::span<const Sample> samples, VectorRef gradient) const;

  std::shared_ptr<State> state_;
  Kind kind_;
  Index dimension_;
};

// An endless stream of samples.
class StreamObjective {
 public:
  explicit StreamObjective(Callable callable) : callable_(std::move(callable)) {}

  Index dimension() const { return callable_.dimension(); }
  Index sample_count() const { return endless; }
  void gradient(ConstVectorRef x, Sample sample, VectorRef out) const {
    callable_(x, std::span(&sample, 1), out);
  }
  double value(ConstVectorRef x, Sample sample) const { return callable_.value(x, sample); }

 private:
  Callable callable_;
};

// A finite sum, or (with one sample) a function that is known exactly.
class FiniteObjective {
 public:
  FiniteObjective(Callable callable, Index samples);

  Index dimension() const { return callable_.dimension(); }
  Index sample_count() const { return samples_; }
  void gradient(ConstVectorRef x, Sample sample, VectorRef out) const {
    callable_(x, std::span(&sample, 1), out);
  }
  void batch_gradient(ConstVectorRef x, std::span<const Sample> samples, VectorRef out) const {
    callable_(x, samples, out);
  }
  double value(ConstVectorRef x, Sample sample) const { return batch_value(x, std::span(&sample, 1)); }
  double batch_value(ConstVectorRef x, std::span<const Sample> samples) const;
  void mean_gradient(ConstVectorRef x, VectorRef out) const { value_and_gradient(x, out); }
  double mean_value(ConstVectorRef x) const;
  double value_and_gradient(ConstVectorRef x, VectorRef out) const;

 private:
  // The last point that all samples were asked for at: the judge asks for value and gradient one after the
  // other.
  struct Known {
    Vector x, gradient;
    double value = 0;
  };

  Callable callable_;
  Index samples_;
  std::shared_ptr<Known> known_;
};

// The same with hess(x) -> a square matrix.
class CurvedObjective : public FiniteObjective {
 public:
  CurvedObjective(FiniteObjective objective, py::object hessian)
      : FiniteObjective(std::move(objective)), hessian_(keep(std::move(hessian))) {}
  void hessian(ConstVectorRef x, Matrix& out) const;

 private:
  std::shared_ptr<const void> hessian_;
};

// c(x) and its Jacobian, an array or compressed rows.
class CallableConstraint {
 public:
  CallableConstraint(py::object value, py::object jacobian, Index dimension, Index count)
      : value_(keep(std::move(value))),
        jacobian_(keep(std::move(jacobian))),
        dimension_(dimension),
        count_(count) {}

  Index dimension() const { return dimension_; }
  Index count() const { return count_; }
  void value(ConstVectorRef x, VectorRef out) const;
  void jacobian(ConstVectorRef x, SparseRows& out) const;

 private:
  std::shared_ptr<const void> value_, jacobian_;
  Index dimension_, count_;
};

// The same with hess(x, multipliers) -> a square matrix.
class CurvedConstraint : public CallableConstraint {
 public:
  CurvedConstraint(CallableConstraint constraint, py::object hessian)
      : CallableConstraint(std::move(constraint)), hessian_(keep(std::move(hessian))) {}
  void hessian(ConstVectorRef x, ConstVectorRef multipliers, Matrix& out) const;

 private:
  std::shared_ptr<const void> hessian_;
};

}  // namespace bridle::python
