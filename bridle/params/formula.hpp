// A number together with the text of the expression that computed it: what a run prints as the reason for a
// parameter is built by the very operations that gave the parameter its value.
#pragma once

#include <cstdio>
#include <initializer_list>
#include <string>
#include <utility>

#include "bridle/params/constants.hpp"
#include "bridle/params/parameters.hpp"

namespace bridle {

class Formula;
Formula smallest_of(std::initializer_list<Formula> of);
Formula largest_of(std::initializer_list<Formula> of);

class Formula {
 public:
  Formula() = default;
  Formula(double number) : value_(number), text_(print(number)) {}
  Formula(const Constant& constant) : Formula(constant.value) {}
  // A quantity with a name.
  Formula(std::string name, double value) : value_(value), text_(std::move(name)) {}

  double value() const { return value_; }
  const std::string& text() const { return text_; }
  // The same value, called by its name in the formulas that follow.
  Formula as(std::string name) const { return {std::move(name), value_}; }
  Reason reason(std::string symbol, const std::string& remark = {}) const {
    return {std::move(symbol), value_, text_ + remark};
  }

  friend Formula operator+(const Formula& a, const Formula& b) {
    return {a.value_ + b.value_, a.text_ + " + " + b.text_, Rank::sum};
  }
  friend Formula operator-(const Formula& a, const Formula& b) {
    return {a.value_ - b.value_, a.text_ + " - " + b.within(Rank::product), Rank::sum};
  }
  friend Formula operator*(const Formula& a, const Formula& b) {
    return {a.value_ * b.value_, a.within(Rank::product) + " " + b.within(Rank::product), Rank::product};
  }
  friend Formula operator/(const Formula& a, const Formula& b) {
    return {a.value_ / b.value_, a.within(Rank::product) + "/" + b.within(Rank::power), Rank::product};
  }
  friend Formula squared(const Formula& a) {
    return {a.value_ * a.value_, a.within(Rank::atom) + "^2", Rank::power};
  }
  // a^exponent
  friend Formula power(const Formula& a, double exponent, const std::string& exponent_text) {
    return {std::pow(a.value_, exponent), a.within(Rank::atom) + "^" + exponent_text, Rank::power};
  }
  friend Formula root(const Formula& a) {
    return {std::sqrt(a.value_), "sqrt " + a.within(Rank::atom), Rank::power};
  }
  friend Formula smallest_of(std::initializer_list<Formula> of);
  friend Formula largest_of(std::initializer_list<Formula> of);
  friend Formula kept_in(const Formula& a, const Formula& low, const Formula& high) {
    return {std::clamp(a.value_, low.value_, high.value_),
            a.text_ + ", kept in [" + low.text_ + ", " + high.text_ + "]", Rank::sum};
  }

 private:
  enum class Rank { sum, product, power, atom };  // how tightly the text holds together
  Formula(double value, std::string text, Rank rank) : value_(value), text_(std::move(text)), rank_(rank) {}

  std::string within(Rank needed) const { return rank_ < needed ? "(" + text_ + ")" : text_; }
  static std::string print(double number) {
    char out[32];
    std::snprintf(out, sizeof out, "%.4g", number);
    return out;
  }
  static Formula extreme(const char* name, std::initializer_list<Formula> of, bool largest) {
    double value = of.begin()->value_;
    std::string text = std::string(name) + "(";
    for (const Formula& one : of) {
      value = largest ? std::max(value, one.value_) : std::min(value, one.value_);
      text += (&one == of.begin() ? "" : ", ") + one.text_;
    }
    return {value, text + ")", Rank::atom};
  }

  double value_ = 0;
  std::string text_ = "0";
  Rank rank_ = Rank::atom;
};

inline Formula smallest_of(std::initializer_list<Formula> of) { return Formula::extreme("min", of, false); }
inline Formula largest_of(std::initializer_list<Formula> of) { return Formula::extreme("max", of, true); }

// The parameters of a stage as they were computed.
struct ParameterFormulas {
  Formula tau = {}, eta = {}, beta = {}, mu = {}, rho = {}, alpha = 1;

  Parameters values() const {
    return {tau.value(), eta.value(), beta.value(), mu.value(), rho.value(), alpha.value()};
  }
};

}  // namespace bridle
