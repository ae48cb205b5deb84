// Classification losses V(m) of the margin m = label * t, label in {-1, +1}, t the model's output.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>

namespace bridle {

namespace detail {
// log(1 + e^-m) and its slope, without overflow for any finite m.
inline double softplus_minus(double m) {
  return m > 0 ? std::log1p(std::exp(-m)) : -m + std::log1p(std::exp(m));
}
inline double sigmoid_minus(double m) { return 1 / (1 + std::exp(m)); }
}  // namespace detail

struct LogisticLoss {
  static constexpr std::string_view name = "logistic";
  static constexpr std::string_view meaning = "log(1 + e^-m)";
  static constexpr bool classification = true;
  static constexpr bool convex = true;
  double value(double t, double label) const { return detail::softplus_minus(label * t); }
  double slope(double t, double label) const { return -label * detail::sigmoid_minus(label * t); }
  double bend(double t, double) const {
    const double small = std::exp(-std::abs(t));  // even in t
    return small / ((1 + small) * (1 + small));
  }
  double curvature() const { return 0.25; }
};

class LogisticDifferenceLoss {
 public:
  static constexpr std::string_view name = "logistic-difference";
  static constexpr std::string_view meaning = "log(1 + e^-m) - log(1 + e^-(m + shift)), nonconvex";
  static constexpr bool classification = true;
  static constexpr bool convex = false;
  LogisticDifferenceLoss() : LogisticDifferenceLoss(1) {}
  explicit LogisticDifferenceLoss(double shift)
      : shift_(shift), fallen_(shift < 700 ? std::exp(-shift) : 0), fall_(-std::expm1(-shift)) {}
  double shift() const { return shift_; }

  double value(double t, double label) const {
    return detail::softplus_minus(label * t) - detail::softplus_minus(label * t + shift_);
  }
  // s(m) - s(m + shift), s(m) = 1/(1 + e^m)
  double slope(double t, double label) const {
    const double m = label * t;
    if (fallen_ == 0) return -label * (detail::sigmoid_minus(m) - detail::sigmoid_minus(m + shift_));
    const double f = std::exp(-std::abs(m));  // one exponential, and nothing cancels
    return -label * f * fall_ / ((1 + f) * (m > 0 ? 1 + fallen_ * f : fallen_ + f));
  }
  double bend(double t, double label) const {
    const LogisticLoss one;
    return one.bend(label * t, 1) - one.bend(label * t + shift_, 1);
  }
  // V'' is a difference of two values of s' in [0, 1/4] that lie `shift` apart, and |s''| <= 1/(6 sqrt 3).
  double curvature() const { return std::min(0.25, shift_ / (6 * std::numbers::sqrt3)); }

 private:
  double shift_, fallen_, fall_;  // and e^-shift, 0 where that is hardly a number; 1 - e^-shift
};

struct SmoothedZeroOneLoss {
  static constexpr std::string_view name = "smoothed-01";
  static constexpr std::string_view meaning = "m^3/4 - 3m/4 + 1/2 on [-1, 1], 0 above, 1 below, nonconvex";
  static constexpr bool classification = true;
  static constexpr bool convex = false;
  double value(double t, double label) const {
    const double m = std::clamp(label * t, -1.0, 1.0);
    return 0.25 * m * m * m - 0.75 * m + 0.5;
  }
  double slope(double t, double label) const {
    const double m = label * t;
    return std::abs(m) < 1 ? label * 0.75 * (m * m - 1) : 0;
  }
  double bend(double t, double label) const { return std::abs(t) < 1 ? 1.5 * label * t : 0; }
  double curvature() const { return 1.5; }
};

}  // namespace bridle
