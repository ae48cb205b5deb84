#include "bridle/algorithms/representations/fused_pass.hpp"

#include <utility>

#include "bridle/core/dispatch.hpp"

namespace bridle {
namespace {

// Calls f(0), ..., f(rows - 1) with constants, so that arrays of packs stay in registers.
template <int rows, class F>
[[gnu::always_inline]] inline void for_rows(F&& f) {
  [&]<int... r>(std::integer_sequence<int, r...>) __attribute__((always_inline)) { (f(r), ...); }
  (std::make_integer_sequence<int, rows>());
}

// Where the product with the next sample is not wanted.
struct NoSample {};
template <class Lanes>
[[gnu::always_inline]] inline void add_product(Lanes&, const NoSample&, Index, const Lanes&) {}
template <class Lanes, class Scalar>
[[gnu::always_inline]] inline void add_product(Lanes& sum, const Scalar* row, Index j, const Lanes& x) {
  Lanes a;
  load(a, row + j);
  sum += a * x;
}

// Lanes j, j + 1, ... of the step
template <int rows, bool bounded, class Lanes, class Scalar, class Next>
[[gnu::always_inline]] inline void pass_at(Index j, Index padded, const FusedPass& p, double slope,
                                           const Scalar* sample, const Next& next, Lanes* products,
                                           Lanes& next_product) {
  Lanes x, z, weight, g, pull, other;
  load(x, p.x + j);
  load(z, p.z + j);
  load(weight, p.weight + j);
  load(g, sample + j);
  pull = Lanes{};
  if (p.ridge) {
    load(pull, p.ridge + j);
    pull *= x;
  }
  g = slope * g;
  for_rows<rows>([&](int r) __attribute__((always_inline)) {
    load(other, p.matrix + r * padded + j);
    (r % 2 == 0 ? pull : g) += p.row_weights[r] * other;
  });
  g += pull;
  const Lanes apart = x - z;
  x -= p.tau * (weight * g + p.mu * apart);
  z += p.beta * apart;
  if constexpr (bounded) {
    load(other, p.lower + j);
    raise_to(x, other);
    load(other, p.upper + j);
    lower_to(x, other);
  }
  // Before x is stored: A is still in registers where there are enough.
  for_rows<rows>([&](int r) __attribute__((always_inline)) {
    load(other, p.matrix + r * padded + j);
    products[r] += other * x;
  });
  add_product(next_product, next, j, x);
  store(p.x + j, x);
  store(p.z + j, z);
}

template <class Lanes, int rows, bool bounded, class Scalar, class Next>
[[gnu::always_inline]] inline double pass_over(const FusedPass& p, double slope, const Scalar* sample,
                                               const Next& next) {
  const Index padded = (p.variables + lanes - 1) / lanes * lanes;
  Lanes products[rows > 0 ? rows : 1] = {}, one = {}, two = {};
  Index j = 0;
  for (; j + lanes < padded; j += 2 * lanes) {
    pass_at<rows, bounded>(j, padded, p, slope, sample, next, products, one);
    pass_at<rows, bounded>(j + lanes, padded, p, slope, sample, next, products, two);
  }
  if (j < padded) pass_at<rows, bounded>(j, padded, p, slope, sample, next, products, one);
  for_rows<rows / 4>([&](int k) __attribute__((always_inline)) {
    const int r = 4 * k;
    sums_of(products[r], products[r + 1], products[r + 2], products[r + 3], p.products + r);
  });
  for_rows<rows % 4>([&](int k) __attribute__((always_inline)) {
    const int r = rows / 4 * 4 + k;
    p.products[r] = sum_of(products[r]);
  });
  one += two;
  return sum_of(one);
}

template <class Lanes, int rows, class Scalar, class Next>
[[gnu::always_inline]] inline double pass_with(const FusedPass& p, double slope, const Scalar* sample,
                                               const Next& next) {
  return p.lower ? pass_over<Lanes, rows, true>(p, slope, sample, next)
                 : pass_over<Lanes, rows, false>(p, slope, sample, next);
}

template <class Lanes, class Scalar, class Next>
[[gnu::always_inline]] inline double pass_for_rows(const FusedPass& p, double slope, const Scalar* sample,
                                                   const Next& next) {
  switch (p.rows) {
    case 0:
      return pass_with<Lanes, 0>(p, slope, sample, next);
    case 1:
      return pass_with<Lanes, 1>(p, slope, sample, next);
    case 2:
      return pass_with<Lanes, 2>(p, slope, sample, next);
    case 4:
      return pass_with<Lanes, 4>(p, slope, sample, next);
    case 6:
      return pass_with<Lanes, 6>(p, slope, sample, next);
    case 8:
      return pass_with<Lanes, 8>(p, slope, sample, next);
    case 10:
      return pass_with<Lanes, 10>(p, slope, sample, next);
    case 12:
      return pass_with<Lanes, 12>(p, slope, sample, next);
    default:
      return pass_with<Lanes, 16>(p, slope, sample, next);
  }
}

template <class Lanes, class Scalar>
[[gnu::always_inline]] inline double dot(const Scalar* sample, const double* x, Index variables) {
  Lanes one = {}, two = {}, a, b;
  Index j = 0;
  for (; j + lanes < variables; j += 2 * lanes) {
    load(a, sample + j);
    load(b, x + j);
    one += a * b;
    load(a, sample + j + lanes);
    load(b, x + j + lanes);
    two += a * b;
  }
  if (j < variables) {
    load(a, sample + j);
    load(b, x + j);
    one += a * b;
  }
  one += two;
  return sum_of(one);
}

BRIDLE_DISPATCH_BY_WIDTH(double pass_of(const FusedPass& pass, double slope, const double* sample,
                                        const double* next),
                         return pass_for_rows<Lanes>(pass, slope, sample, next);)
BRIDLE_DISPATCH_BY_WIDTH(double pass_of(const FusedPass& pass, double slope, const float* sample,
                                        const float* next),
                         return pass_for_rows<Lanes>(pass, slope, sample, next);)
BRIDLE_DISPATCH_BY_WIDTH(void pass_of(const FusedPass& pass, const double* direction),
                         pass_for_rows<Lanes>(pass, 1, direction, NoSample{});)
BRIDLE_DISPATCH_BY_WIDTH(double dot_of(const double* sample, const double* x, Index variables),
                         return dot<Lanes>(sample, x, variables);)
BRIDLE_DISPATCH_BY_WIDTH(double dot_of(const float* sample, const double* x, Index variables),
                         return dot<Lanes>(sample, x, variables);)

}  // namespace

double fused_pass(const FusedPass& pass, double slope, const double* sample, const double* next) {
  return pass_of(pass, slope, sample, next);
}
double fused_pass(const FusedPass& pass, double slope, const float* sample, const float* next) {
  return pass_of(pass, slope, sample, next);
}
void fused_pass(const FusedPass& pass, const double* direction) { pass_of(pass, direction); }
double fused_dot(const double* sample, const double* x, Index variables) {
  return dot_of(sample, x, variables);
}
double fused_dot(const float* sample, const double* x, Index variables) {
  return dot_of(sample, x, variables);
}

}  // namespace bridle
