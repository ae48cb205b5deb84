// How a statement of a problem, formulas for f and c among it, becomes a Problem: values, gradients and
// Hessians by automatic differentiation, and noise.
#pragma once

#include <cmath>

#include "bridle/core/random.hpp"
#include "bridle/problem/sets/box.hpp"

#include "tests/support/hock_schittkowski.hpp"
#include "tests/support/jets.hpp"

namespace bridle::hock_schittkowski {

using jets::Bend;
using jets::Slope;

template <class T>
std::vector<T> variables(ConstVectorRef x) {
  std::vector<T> out;
  for (Index j = 0; j < x.size(); ++j) out.push_back(T::variable(x[j], j));
  return out;
}

// f as a formula over x[0], x[1], ...
template <class F>
struct Objective {
  F formula;
  Index n;
  Gradients gradients;
  double sigma;
  static constexpr bool thread_safe = true;

  Index dimension() const { return n; }
  Index sample_count() const { return gradients == Gradients::exact ? 1 : endless; }
  double exact(ConstVectorRef x, VectorRef out) const {
    const Slope f = formula(variables<Slope>(x));
    out = f.gradient.head(n);
    return f.value;
  }
  Vector noise(Sample sample) const {
    Vector out(n);
    if (sigma > 0) Stream(sample, Purpose::noise).fill_normal(out, 0);
    return sigma * out;
  }
  void gradient(ConstVectorRef x, Sample sample, VectorRef out) const {
    exact(x, out);
    if (gradients != Gradients::exact) out += noise(sample);
  }
};

template <class F>
struct KnownObjective : Objective<F> {
  void mean_gradient(ConstVectorRef x, VectorRef out) const { this->exact(x, out); }
  double mean_value(ConstVectorRef x) const { return this->formula(variables<Slope>(x)).value; }
  double value_and_gradient(ConstVectorRef x, VectorRef out) const { return this->exact(x, out); }
  void hessian(ConstVectorRef x, Matrix& out) const {
    out = this->formula(variables<Bend>(x)).hessian.topLeftCorner(this->n, this->n);
  }
};

// The noise of a value belongs to that of its gradient: f(x) + e'x.
template <class F>
struct SampledObjective : Objective<F> {
  double value(ConstVectorRef x, Sample sample) const {
    return this->formula(variables<Slope>(x)).value + this->noise(sample).dot(x);
  }
};

// c as a formula that gives a list.
template <class C>
struct Constraint {
  C formula;
  Index n, rows;

  Index dimension() const { return n; }
  Index count() const { return rows; }
  void value(ConstVectorRef x, VectorRef out) const {
    const auto c = formula(variables<Slope>(x));
    for (Index i = 0; i < rows; ++i) out[i] = c[static_cast<std::size_t>(i)].value;
  }
  void jacobian(ConstVectorRef x, Matrix& out) const {
    const auto c = formula(variables<Slope>(x));
    for (Index i = 0; i < rows; ++i) out.row(i) = c[static_cast<std::size_t>(i)].gradient.head(n).transpose();
  }
  void hessian(ConstVectorRef x, ConstVectorRef y, Matrix& out) const {
    const auto c = formula(variables<Bend>(x));
    for (Index i = 0; i < rows; ++i) out += y[i] * c[static_cast<std::size_t>(i)].hessian.topLeftCorner(n, n);
  }
};

template <class T>
using List = std::vector<T>;

struct Statement {
  int number;
  double optimum;
  std::vector<double> start;
  int inequalities, equalities;  // c_i >= 0 first, then c_i = 0
  std::vector<double> lower = {}, upper = {};
  bool best_known = true;
};

inline Vector bounds(const std::vector<double>& given, Index n, double otherwise) {
  Vector out = Vector::Constant(n, otherwise);
  if (given.size() == 1) out.setConstant(given[0]);
  for (std::size_t j = 0; given.size() > 1 && j < given.size(); ++j) out[static_cast<Index>(j)] = given[j];
  return out;
}

struct Request {
  Gradients gradients;
  double noise;
};

template <class F, class C>
Instance make(const Statement& s, const Request& request, F f, C c) {
  const Vector start = Eigen::Map<const Vector>(s.start.data(), static_cast<Index>(s.start.size()));
  const Index n = start.size(), rows = s.inequalities + s.equalities;
  const Objective<F> exact{f, n, request.gradients, 0};
  Vector slope(n);
  exact.exact(start, slope);
  const double size = slope.norm() > 0 ? slope.norm() / std::sqrt(static_cast<double>(n)) : 1;
  const Objective<F> base{f, n, request.gradients,
                          request.gradients == Gradients::exact ? 0 : request.noise * size};
  Problem problem = request.gradients == Gradients::samples_only ? Problem(SampledObjective<F>{base})
                                                                 : Problem(KnownObjective<F>{base});
  if (!s.lower.empty() || !s.upper.empty())
    problem.within(Box(bounds(s.lower, n, -infinity), bounds(s.upper, n, infinity)));
  Vector upper = Vector::Constant(rows, infinity);
  upper.tail(s.equalities).setZero();
  problem.subject_to_smooth(Constraint<C>{c, n, rows}, Vector::Zero(rows), upper);
  problem.start_from(start);
  return {s.number, s.optimum, s.best_known, std::move(problem)};
}

}  // namespace bridle::hock_schittkowski
