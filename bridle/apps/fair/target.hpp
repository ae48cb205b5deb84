// The column a classifier predicts, and which of its values is the positive one.
#pragma once

#include "bridle/io/csv.hpp"

namespace bridle {

struct Target {
  std::string column;
  bool numeric = false;
  double positive_number = 0;  // numeric targets
  Names classes;               // as text, the positive one first
};

// `positive` may be empty for a numeric target with two values: the larger one. Throws InputError.
Target find_target(const io::Table& table, const std::string& column, const std::string& positive);

// +1 for the positive class, -1 for the others. A text label may carry a full stop at its end, as in the UCI
// repository's Adult test file. Throws InputError for labels that the training data has not.
Vector labels_of(const io::Table& table, const Target& target);

}  // namespace bridle
