// What the tests of the rivals share: what their pseudo-code may ask for, and the comparison with a mutant.
#pragma once

#include "tests/algorithms/literal_case.hpp"

namespace bridle::literal {

// beta, mu, eta and alpha are given to all, so that a loop that used what it must not would be seen.
inline constexpr Parameters rival_parameters{
    .tau = 0.02, .eta = 0.3, .beta = 0.2, .mu = 3, .rho = 2, .alpha = 0.4};
inline constexpr double same = 1e-12, different = 1e-3;

struct Rival : Loop {
  Rival(Rows_ kind, bool mutated)
      : Loop(kind, start_of(make_form(kind)), rival_parameters), mutant(mutated) {}

  bool mutant;
  std::uint64_t t = 0;  // of the iteration under way: 0, 1, ...
  Vector dhat, old;     // estimate of grad f(x), x before the last step

  Vector residual() const {
    const auto [A, b] = expected();
    return A * x - b;
  }
  Vector adjoint(const Vector& w) const { return expected().first.transpose() * w; }
  void primal(double tau, const Vector& G) {
    old = x;
    x = projected(x - tau * G);
  }
  void storm(double alpha) {
    const Sample xi = next_sample();
    dhat = gradient(x, xi) + (1 - alpha) * (dhat - gradient(old, xi));
  }
  double order(double exponent) const { return std::pow(static_cast<double>(t + 1), exponent); }
};

template <class Step>
double difference(const char* name, Rows_ kind, const Step& step, bool mutated = false) {
  Rival rival(kind, mutated);
  return largest_difference(name, kind, rival_parameters, rival, [&](Rival& r) {
    step(r);
    ++r.t;
  });
}
template <class Step>
void expect_literal(const char* name, Rows_ kind, const Step& step, const char* mutation) {
  EXPECT_LE(difference(name, kind, step), same);
  EXPECT_GT(difference(name, kind, step, true), different) << mutation;
}

}  // namespace bridle::literal
