// Sums of products of doubles in which much cancels: as good as with twice the digits of extended precision.
#pragma once

#include <cmath>

namespace bridle {

class ExactSum {
 public:
  explicit ExactSum(double first = 0) : high_(first) {}

  void add(double a, double b) {
    const double product = a * b;
    take(product);
    if (std::isfinite(product)) low_ += std::fma(a, b, -product);
  }
  long double value() const { return high_ + low_; }

 private:
  // What the sum in extended precision loses is added up beside it.
  void take(double term) {
    const long double sum = high_ + term, of_term = sum - high_;
    if (std::isfinite(sum)) low_ += (high_ - (sum - of_term)) + (term - of_term);
    high_ = sum;
  }

  long double high_, low_ = 0;
};

}  // namespace bridle
