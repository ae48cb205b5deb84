#include "bridle/algorithms/fused_pass.hpp"

#include "bridle/core/dispatch.hpp"

namespace bridle {
namespace {

template <class Scalar>
[[gnu::always_inline]] inline void load_row(Pack& into, const SampleRow<Scalar>& from, Index j) {
  if (j + lanes <= from.readable) return load(into, from.data + j);
  into = Pack{};
  for (Index k = 0; j + k < from.readable; ++k) into[k] = from.data[j + k];
}

template <int rows, bool bounded, class Scalar>
[[gnu::always_inline]] inline void pass_over(const FusedPass& p, double slope,
                                             const SampleRow<Scalar>& sample) {
  const Index padded = (p.variables + lanes - 1) / lanes * lanes;
  Pack products[rows > 0 ? rows : 1] = {};
  for (Index j = 0; j < padded; j += lanes) {
    Pack x, z, weight, g, other;
    load(x, p.x + j);
    load(z, p.z + j);
    load(weight, p.weight + j);
    load_row(g, sample, j);
    load(other, p.ridge + j);
    g = slope * g + other * x;
    for (int r = 0; r < rows; ++r) {
      load(other, p.matrix + r * padded + j);
      g += p.row_weights[r] * other;
    }
    const Pack apart = x - z;
    x -= p.tau * (weight * g + p.mu * apart);
    z += p.beta * apart;
    if constexpr (bounded) {
      load(other, p.lower + j);
      x = x < other ? other : x;
      load(other, p.upper + j);
      x = x > other ? other : x;
    }
    store(p.x + j, x);
    store(p.z + j, z);
    for (int r = 0; r < rows; ++r) {
      load(other, p.matrix + r * padded + j);
      products[r] += other * x;
    }
  }
  for (int r = 0; r < rows; ++r) p.products[r] = sum_of(products[r]);
}

template <int rows, class Scalar>
[[gnu::always_inline]] inline void pass_with(const FusedPass& p, double slope,
                                             const SampleRow<Scalar>& sample) {
  if (p.lower)
    pass_over<rows, true>(p, slope, sample);
  else
    pass_over<rows, false>(p, slope, sample);
}

template <class Scalar>
[[gnu::always_inline]] inline void pass_for_rows(const FusedPass& p, double slope,
                                                 const SampleRow<Scalar>& sample) {
  switch (p.rows) {
    case 0:
      return pass_with<0>(p, slope, sample);
    case 1:
      return pass_with<1>(p, slope, sample);
    case 2:
      return pass_with<2>(p, slope, sample);
    case 4:
      return pass_with<4>(p, slope, sample);
    case 8:
      return pass_with<8>(p, slope, sample);
    case 12:
      return pass_with<12>(p, slope, sample);
    default:
      return pass_with<16>(p, slope, sample);
  }
}

template <class Scalar>
[[gnu::always_inline]] inline double dot(const SampleRow<Scalar>& sample, const double* x, Index variables) {
  Pack one = {}, two = {}, a, b;
  Index j = 0;
  for (; j + lanes < variables; j += 2 * lanes) {
    load_row(a, sample, j);
    load(b, x + j);
    one += a * b;
    load_row(a, sample, j + lanes);
    load(b, x + j + lanes);
    two += a * b;
  }
  if (j < variables) {
    load_row(a, sample, j);
    load(b, x + j);
    one += a * b;
  }
  one += two;
  return sum_of(one);
}

}  // namespace

BRIDLE_DISPATCH void fused_pass(const FusedPass& pass, double slope, SampleRow<double> sample) {
  pass_for_rows(pass, slope, sample);
}
BRIDLE_DISPATCH void fused_pass(const FusedPass& pass, double slope, SampleRow<float> sample) {
  pass_for_rows(pass, slope, sample);
}
BRIDLE_DISPATCH double fused_dot(SampleRow<double> sample, const double* x, Index variables) {
  return dot(sample, x, variables);
}
BRIDLE_DISPATCH double fused_dot(SampleRow<float> sample, const double* x, Index variables) {
  return dot(sample, x, variables);
}

}  // namespace bridle
