#include "bridle/algorithms/representations/group_pass.hpp"

#include <utility>

namespace bridle {
namespace {

using Layout = GroupLayout;

// Calls f(0), ..., f(count - 1) with constants, so that arrays of packs stay in registers.
template <int count, class F>
[[gnu::always_inline]] inline void for_each_of(F&& f) {
  [&]<int... k>(std::integer_sequence<int, k...>) __attribute__((always_inline)) { (f(k), ...); }
  (std::make_integer_sequence<int, count>());
}

[[gnu::always_inline]] inline void clamp(HalfPack& value, const double* lower, const double* upper) {
  HalfPack bound;
  load(bound, lower);
  value = value < bound ? bound : value;
  load(bound, upper);
  value = value > bound ? bound : value;
}

// Factors of a step in registers, which the groups' memory cannot alias.
template <int crossing>
struct Factors {
  double tau, eta, rho, smoothing, beta;                                              // smoothing: tau mu
  HalfPack pulls[crossing > 0 ? crossing : 1], weights[crossing > 0 ? crossing : 1];  // weights times tau
};

template <int crossing, bool bounded>
[[gnu::always_inline]] inline double* move_group(double* at, Index entries, const Factors<crossing>& f,
                                                 HalfPack* products) {
  constexpr int kept = crossing == 2 ? 2 : 1;  // coefficients of rows across that stay in registers
  HalfPack residual, q, y, other, slack, anchor, coefficient;
  load(residual, at + half_lanes * Layout::residual), load(other, at + half_lanes * Layout::inverse);
  q = other * residual;
  for_each_of<crossing>([&](int c) __attribute__((always_inline)) {
    load(other, at + half_lanes * (Layout::arms + c));
    q -= f.pulls[c] * other;
  });
  load(y, at + half_lanes * Layout::y);
  y += f.eta * q;
  store(at + half_lanes * Layout::y, y);
  const HalfPack weight = f.tau * (y + f.rho * q);

  load(slack, at + half_lanes * Layout::slack), load(anchor, at + half_lanes * Layout::anchor);
  load(coefficient, at + half_lanes * Layout::coefficient);
  const HalfPack apart = slack - anchor;
  slack += coefficient * weight - f.smoothing * apart;
  anchor += f.beta * apart;
  clamp(slack, at + half_lanes * Layout::slack_lower, at + half_lanes * Layout::slack_upper);
  store(at + half_lanes * Layout::slack, slack), store(at + half_lanes * Layout::anchor, anchor);
  load(other, at + half_lanes * Layout::right);
  residual = -other - coefficient * slack;

  double* entry = at + Layout::row_words(crossing);
  for (Index e = 0; e < entries; ++e, entry += Layout::variable_words(crossing, bounded)) {
    HalfPack x, z, value, term, across[kept];
    load(x, entry + half_lanes * Layout::x), load(z, entry + half_lanes * Layout::z);
    load(value, entry + half_lanes * Layout::value);
    const HalfPack from_z = x - z;
    load(term, entry + half_lanes * Layout::ridge);
    term *= x;
    x -= f.smoothing * from_z;
    x -= f.tau * term;
    x -= value * weight;
    z += f.beta * from_z;
    for_each_of<crossing>([&](int c) __attribute__((always_inline)) {
      load(across[c % kept], entry + half_lanes * (Layout::crossing + c));
      x -= f.weights[c] * across[c % kept];
    });
    if constexpr (bounded) {
      const double* const lower = entry + half_lanes * (Layout::crossing + crossing);
      clamp(x, lower, lower + half_lanes);
    }
    residual += value * x;
    for_each_of<crossing>([&](int c) __attribute__((always_inline)) {
      if (crossing > kept) load(across[c % kept], entry + half_lanes * (Layout::crossing + c));
      products[c] += across[c % kept] * x;
    });
    store(entry + half_lanes * Layout::x, x), store(entry + half_lanes * Layout::z, z);
  }
  store(at + half_lanes * Layout::residual, residual);
  for_each_of<crossing>([&](int c) __attribute__((always_inline)) {
    load(other, at + half_lanes * (Layout::arms + c));
    products[c] -= other * residual;
  });
  return entry;
}

template <int crossing, bool bounded>
[[gnu::always_inline]] inline void move_run(double* at, const GroupRun& run, const Factors<crossing>& f,
                                            HalfPack* products) {
  const Index count = run.count, entries = run.entries;
  if (entries == 2)  // pairs: without a loop over two
    for (Index g = 0; g < count; ++g) at = move_group<crossing, bounded>(at, 2, f, products);
  else
    for (Index g = 0; g < count; ++g) at = move_group<crossing, bounded>(at, entries, f, products);
}

template <int crossing>
[[gnu::always_inline]] inline void move_all(const GroupPass& p) {
  Factors<crossing> f{p.tau, p.eta, p.rho, p.tau * p.mu, p.beta, {}, {}};
  HalfPack products[crossing > 0 ? crossing : 1] = {};
  for_each_of<crossing>([&](int c) __attribute__((always_inline)) {
    f.pulls[c] = HalfPack{} + p.pulls[c];
    f.weights[c] = HalfPack{} + p.tau * p.weights[c];
  });
  for (Index k = 0; k < p.run_count; ++k) {
    const GroupRun& run = p.runs[k];
    if (run.bounded)
      move_run<crossing, true>(p.words + run.begin, run, f, products);
    else
      move_run<crossing, false>(p.words + run.begin, run, f, products);
  }
  for_each_of<crossing>([&](int c) __attribute__((always_inline)) { p.products[c] = sum_of(products[c]); });
}

}  // namespace

BRIDLE_DISPATCH void move_groups(const GroupPass& pass) {
  switch (pass.crossing) {
    case 0:
      return move_all<0>(pass);
    case 1:
      return move_all<1>(pass);
    case 2:
      return move_all<2>(pass);
    case 4:
      return move_all<4>(pass);
    case 8:
      return move_all<8>(pass);
    default:
      return move_all<16>(pass);
  }
}

}  // namespace bridle
