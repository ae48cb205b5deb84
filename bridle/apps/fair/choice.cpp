#include "bridle/apps/fair/choice.hpp"

#include <cmath>

#include <fmt/format.h>

namespace bridle {

const std::vector<double>& ridges_to_try() {
  static const std::vector<double> ridges = {1e-6, 1e-5, 1e-4, 1e-3, 1e-2};
  return ridges;
}

Choice choose(const std::string& of, const std::vector<double>& values, bool largest,
              const std::function<CrossValidation(double value)>& measure) {
  Choice out;
  out.of = of;
  const TriedValue* best = nullptr;
  out.tried.reserve(values.size());
  for (const double value : values) {
    const CrossValidation folds = measure(value);
    TriedValue one{value};
    const auto count = static_cast<double>(folds.accuracies.size());
    for (const double a : folds.accuracies) one.accuracy += a / count;
    double squares = 0;
    for (const double a : folds.accuracies) squares += (a - one.accuracy) * (a - one.accuracy);
    one.standard_error = std::sqrt(squares / (count - 1) / count);
    if (folds.rates) one.gap = folds.rates->gap;
    out.tried.push_back(one);
    if (!best || one.accuracy > best->accuracy) best = &out.tried.back();
  }
  const double enough = best->accuracy - best->standard_error;
  bool found = false;
  for (const auto& one : out.tried)
    if (one.accuracy >= enough && (largest || !found)) {
      out.chosen = one.value;
      found = true;
    }
  out.rule = fmt::format(
      "the {} {} whose held-out accuracy is within one standard error of the best ({:.4f} +- {:.4f} at {:g})",
      largest ? "largest" : "smallest", of, best->accuracy, best->standard_error, best->value);
  return out;
}

}  // namespace bridle
