// Ridges and gaps chosen by what models do on people that they have not seen.
#pragma once

#include "bridle/apps/fair/folds.hpp"

namespace bridle {

// One value that was tried, measured on held-out parts.
struct TriedValue {
  double value = 0;
  double accuracy = 0, standard_error = 0;  // mean over the folds, and its standard error
  std::optional<double> gap = {};           // of decisions on held-out people, for bounds on rates
};

struct Choice {
  std::string of;    // "ridge", "gap"
  std::string rule;  // in words
  std::vector<TriedValue> tried;
  double chosen = 0;
};

// Values in rising order. The rule of one standard error: of all values whose held-out accuracy is at most
// one standard error of the best below the best, the largest one, or else the smallest.
Choice choose(const std::string& of, const std::vector<double>& values, bool largest,
              const std::function<CrossValidation(double value)>& measure);

// 1e-6, 1e-5, ..., 1e-2
const std::vector<double>& ridges_to_try();

}  // namespace bridle
