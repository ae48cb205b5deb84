// Tolerances of statistical tests. Every comparison may fail by chance with the rate named here; since seeds
// are fixed, that chance is taken once, when a seed or a stream changes, and never again.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

#include <gtest/gtest.h>

namespace bridle::test {

// P(|Z| > z_limit) = 1e-6 for a standard normal Z.
inline constexpr double z_limit = 4.892;

// |mean of `count` draws - expected| within z_limit standard errors; `deviation` is the standard deviation of
// a draw.
inline void expect_mean(double mean, double expected, double deviation, double count, const char* what) {
  EXPECT_LE(std::abs(mean - expected), z_limit * deviation / std::sqrt(count))
      << what << ": mean " << mean << ", expected " << expected;
}

// Chi-square of cell counts against equal cells: by the Wilson-Hilferty cube root it is close to normal.
// False-alarm rate 1e-6, both tails: counts that are too even are suspicious too.
inline void expect_even(std::span<const double> counts, const char* what) {
  double total = 0, chi = 0;
  for (const double c : counts) total += c;
  const double expected = total / static_cast<double>(counts.size());
  for (const double c : counts) chi += (c - expected) * (c - expected) / expected;
  const double freedom = static_cast<double>(counts.size()) - 1, spread = 2 / (9 * freedom);
  const double z = (std::cbrt(chi / freedom) - (1 - spread)) / std::sqrt(spread);
  EXPECT_LE(std::abs(z), z_limit) << what << ": chi-square " << chi << " with " << freedom
                                  << " degrees of freedom";
}

// The smallest k with P(Binomial(count, p) <= k) > false_alarm: fewer successes than k are evidence against a
// success probability of at least p.
inline int binomial_allowance(int count, double p, double false_alarm) {
  double term = std::pow(1 - p, count), sum = term;
  int k = 0;
  while (sum <= false_alarm && k < count) {
    term *= (count - k) * p / ((k + 1) * (1 - p));
    sum += term;
    ++k;
  }
  return k;
}

}  // namespace bridle::test
