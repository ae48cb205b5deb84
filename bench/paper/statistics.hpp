// The little statistics that the tables need.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "bridle/core/random.hpp"

namespace bridle::paper {

using Numbers = std::vector<double>;

inline double mean(const Numbers& v) {
  double sum = 0;
  for (const double x : v) sum += x;
  return sum / static_cast<double>(v.size());
}

inline double geometric_mean(const Numbers& v) {
  double sum = 0;
  for (const double x : v) sum += std::log(x);
  return std::exp(sum / static_cast<double>(v.size()));
}

inline double standard_error(const Numbers& v) {
  const double centre = mean(v), count = static_cast<double>(v.size());
  double squares = 0;
  for (const double x : v) squares += (x - centre) * (x - centre);
  return std::sqrt(squares / (count - 1) / count);
}

// The quantile by linear interpolation; infinite entries are allowed.
inline double quantile(Numbers v, double q) {
  std::sort(v.begin(), v.end());
  const double position = q * static_cast<double>(v.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const double share = position - static_cast<double>(below);
  if (share == 0 || v[below] == v[below + 1]) return v[below];
  return v[below] + share * (v[below + 1] - v[below]);
}
inline double median(const Numbers& v) { return quantile(v, 0.5); }

inline double slope(const Numbers& x, const Numbers& y) {
  const double mx = mean(x), my = mean(y);
  double xy = 0, xx = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mx) * (y[i] - my);
    xx += (x[i] - mx) * (x[i] - mx);
  }
  return xy / xx;
}

struct Interval {
  double value, low, high;
};

enum class Mean { arithmetic, geometric };

// Slope of log10 of the mean over runs against log10 x. values[k] holds the runs at x[k], run r the same
// problem in all of them. 95% interval by the bootstrap over runs.
inline Interval slope_over_runs(const Numbers& x, const std::vector<Numbers>& values, Mean kind) {
  const std::size_t runs = values.front().size();
  const auto fit = [&](const std::vector<std::size_t>& chosen) {
    Numbers lx, ly;
    for (std::size_t k = 0; k < x.size(); ++k) {
      Numbers some;
      for (const std::size_t r : chosen) some.push_back(values[k][r]);
      lx.push_back(std::log10(x[k]));
      ly.push_back(std::log10(kind == Mean::arithmetic ? mean(some) : geometric_mean(some)));
    }
    return slope(lx, ly);
  };
  std::vector<std::size_t> chosen(runs);
  for (std::size_t r = 0; r < runs; ++r) chosen[r] = r;
  const double value = fit(chosen);
  Numbers resampled;
  const Stream stream(7, Purpose::generator);
  for (std::uint64_t trial = 0; trial < 1000; ++trial) {
    for (std::size_t r = 0; r < runs; ++r)
      chosen[r] = static_cast<std::size_t>(stream.below(runs, trial, static_cast<std::uint32_t>(r)));
    resampled.push_back(fit(chosen));
  }
  return {value, quantile(resampled, 0.025), quantile(resampled, 0.975)};
}
inline Interval log_slope(const Numbers& x, const std::vector<Numbers>& values) {
  return slope_over_runs(x, values, Mean::geometric);
}
inline Interval slope_of_means(const Numbers& x, const std::vector<Numbers>& values) {
  return slope_over_runs(x, values, Mean::arithmetic);
}

}  // namespace bridle::paper
