// Regression losses V(r) of the residual r = t - label, t the model's output.
#pragma once

#include <algorithm>
#include <cmath>
#include <string_view>

namespace bridle {

struct SquaredLoss {
  static constexpr std::string_view name = "squared";
  static constexpr std::string_view meaning = "r^2 / 2";
  static constexpr bool classification = false;
  static constexpr bool convex = true;
  double value(double t, double label) const { return 0.5 * (t - label) * (t - label); }
  double slope(double t, double label) const { return t - label; }
  double bend(double, double) const { return 1; }
  double curvature() const { return 1; }
};

struct HuberLoss {
  static constexpr std::string_view name = "huber";
  static constexpr std::string_view meaning = "r^2 / 2 up to |r| = width, linear beyond";
  static constexpr bool classification = false;
  static constexpr bool convex = true;
  double width = 1;
  double value(double t, double label) const {
    const double r = std::abs(t - label);
    return r <= width ? 0.5 * r * r : width * (r - 0.5 * width);
  }
  double slope(double t, double label) const { return std::clamp(t - label, -width, width); }
  double bend(double t, double label) const { return std::abs(t - label) <= width ? 1 : 0; }
  double curvature() const { return 1; }
};

struct CauchyLoss {
  static constexpr std::string_view name = "cauchy";
  static constexpr std::string_view meaning = "log(1 + r^2), nonconvex";
  static constexpr bool classification = false;
  static constexpr bool convex = false;
  double value(double t, double label) const { return std::log1p((t - label) * (t - label)); }
  double slope(double t, double label) const {
    const double r = t - label;
    return 2 * r / (1 + r * r);
  }
  double bend(double t, double label) const {
    const double squared = (t - label) * (t - label);
    return 2 * (1 - squared) / ((1 + squared) * (1 + squared));
  }
  double curvature() const { return 2; }  // V'' = 2(1 - r^2)/(1 + r^2)^2, largest at r = 0
};

struct TukeyLoss {
  static constexpr std::string_view name = "tukey";
  static constexpr std::string_view meaning = "biweight: flat beyond |r| = width, nonconvex";
  static constexpr bool classification = false;
  static constexpr bool convex = false;
  double width = 4.685;  // 95% efficiency on Gaussian residuals
  double value(double t, double label) const {
    const double rest = std::max(0.0, 1 - square((t - label) / width));
    return width * width / 6 * (1 - rest * rest * rest);
  }
  double slope(double t, double label) const {
    const double rest = std::max(0.0, 1 - square((t - label) / width));
    return (t - label) * rest * rest;
  }
  double bend(double t, double label) const {
    const double u = square((t - label) / width);
    return u < 1 ? (1 - u) * (1 - 5 * u) : 0;
  }
  double curvature() const { return 1; }  // V'' = (1-u)(1-5u), u = (r/width)^2: between -0.8 and 1

 private:
  static double square(double v) { return v * v; }
};

}  // namespace bridle
