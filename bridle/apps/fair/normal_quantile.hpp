#pragma once

#include <cmath>

namespace bridle {

// The z that a standard normal number stays below with this probability, to rounding: Newton steps on the
// error function, from a start that is near everywhere.
inline double normal_quantile(double probability) {
  const double tail = probability < 0.5 ? probability : 1 - probability;
  const double t = std::sqrt(-2 * std::log(tail));
  double z = t - (2.30753 + 0.27061 * t) / (1 + 0.99229 * t + 0.04481 * t * t);  // Hastings, to 3e-3
  for (int k = 0; k < 4; ++k) {
    const double error = 0.5 * std::erfc(z / std::sqrt(2.0)) - tail;
    const double density = std::exp(-0.5 * z * z) / std::sqrt(2 * 3.14159265358979323846);
    z += error / density;
  }
  return probability < 0.5 ? -z : z;
}

}  // namespace bridle
