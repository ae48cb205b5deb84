// Numbers that carry their derivatives along, for problems that are written down once as formulas.
#pragma once

#include <cmath>

#include "bridle/core/types.hpp"

namespace bridle::jets {

inline constexpr int most_variables = 10;

// A value with its gradient.
struct Slope {
  using Gradient = Eigen::Matrix<double, most_variables, 1>;
  double value = 0;
  Gradient gradient = Gradient::Zero();

  Slope() = default;
  Slope(double constant) : value(constant) {}
  static Slope variable(double value, Index j) {
    Slope out(value);
    out.gradient[j] = 1;
    return out;
  }
  // f(value), f' and f'' there.
  Slope through(double f, double first, double) const {
    Slope out(f);
    out.gradient = first * gradient;
    return out;
  }
};

// A value with its gradient and its Hessian.
struct Bend {
  using Gradient = Slope::Gradient;
  using Hessian = Eigen::Matrix<double, most_variables, most_variables>;
  double value = 0;
  Gradient gradient = Gradient::Zero();
  Hessian hessian = Hessian::Zero();

  Bend() = default;
  Bend(double constant) : value(constant) {}
  static Bend variable(double value, Index j) {
    Bend out(value);
    out.gradient[j] = 1;
    return out;
  }
  Bend through(double f, double first, double second) const {
    Bend out(f);
    out.gradient = first * gradient;
    out.hessian = first * hessian + second * gradient * gradient.transpose();
    return out;
  }
};

inline Slope operator+(const Slope& a, const Slope& b) {
  Slope out(a.value + b.value);
  out.gradient = a.gradient + b.gradient;
  return out;
}
inline Slope operator*(const Slope& a, const Slope& b) {
  Slope out(a.value * b.value);
  out.gradient = a.value * b.gradient + b.value * a.gradient;
  return out;
}
inline Bend operator+(const Bend& a, const Bend& b) {
  Bend out(a.value + b.value);
  out.gradient = a.gradient + b.gradient;
  out.hessian = a.hessian + b.hessian;
  return out;
}
inline Bend operator*(const Bend& a, const Bend& b) {
  Bend out(a.value * b.value);
  out.gradient = a.value * b.gradient + b.value * a.gradient;
  const Bend::Hessian cross = a.gradient * b.gradient.transpose();
  out.hessian = a.value * b.hessian + b.value * a.hessian + cross + cross.transpose();
  return out;
}

template <class T>
concept Jet = std::same_as<T, Slope> || std::same_as<T, Bend>;

template <Jet T>
T operator-(const T& a) {
  return a.through(-a.value, -1, 0);
}
template <Jet T>
T operator-(const T& a, const T& b) {
  return a + (-b);
}
template <Jet T>
T operator+(const T& a, double b) {
  return a + T(b);
}
template <Jet T>
T operator+(double a, const T& b) {
  return T(a) + b;
}
template <Jet T>
T operator-(const T& a, double b) {
  return a + T(-b);
}
template <Jet T>
T operator-(double a, const T& b) {
  return T(a) - b;
}
template <Jet T>
T operator*(double a, const T& b) {
  return b.through(a * b.value, a, 0);
}
template <Jet T>
T pow(const T& a, double power) {
  return a.through(std::pow(a.value, power), power * std::pow(a.value, power - 1),
                   power * (power - 1) * std::pow(a.value, power - 2));
}
template <Jet T>
T operator/(const T& a, const T& b) {
  return a * b.through(1 / b.value, -1 / (b.value * b.value), 2 / (b.value * b.value * b.value));
}
template <Jet T>
T operator/(double a, const T& b) {
  return T(a) / b;
}
template <Jet T>
T exp(const T& a) {
  const double e = std::exp(a.value);
  return a.through(e, e, e);
}
template <Jet T>
T log(const T& a) {
  return a.through(std::log(a.value), 1 / a.value, -1 / (a.value * a.value));
}
template <Jet T>
T sin(const T& a) {
  return a.through(std::sin(a.value), std::cos(a.value), -std::sin(a.value));
}

}  // namespace bridle::jets
