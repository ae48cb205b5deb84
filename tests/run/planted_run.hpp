// What the tests of whole runs solve: a small problem with a planted solution, by the rule or by given
// parameters.
#pragma once

#include "bridle/problem/sets/sets.hpp"
#include "bridle/run/options.hpp"

#include "tests/planted.hpp"

namespace bridle::test {

inline constexpr Index n = 8;
inline constexpr Parameters steps{.tau = 0.01, .eta = 1, .beta = 0.05, .mu = 2, .rho = 10};

inline Planted planted(double noise, const AnySet& set = Box(Vector::Constant(n, -1), Vector::Ones(n))) {
  return plant(set, Vector::LinSpaced(n, 0.5, 5), {2, 1, 1}, 31, {.additive = noise});
}

inline SolveOptions given(const Parameters& p, double samples, Output output = Output::last) {
  return {.samples = samples,
          .tolerance = 0,
          .source = ParameterSource::given,
          .given = GivenParameters{p, {}, MetricKind::cholesky},
          .output = output};
}

}  // namespace bridle::test
