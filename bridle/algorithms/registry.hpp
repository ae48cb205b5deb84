// The algorithms by name. The command's help and the docs read this list; nobody retypes a name.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string_view>
#include <vector>

#include "bridle/algorithms/method.hpp"

namespace bridle {

// Rows looked at in one draw when the rows are deterministic and an algorithm samples them: the square root
// of their number, up to a cost that a gradient has too.
inline Index rows_per_draw(Index rows) {
  return std::min(rows, std::clamp<Index>(static_cast<Index>(std::sqrt(static_cast<double>(rows))), 16, 48));
}

struct AlgorithmDescription {
  std::string_view name;
  std::string_view meaning;
  double gradients_per_iteration;  // sample gradients, per sample of the batch; 0: a full gradient
  bool samples_rows;               // sees the rows through draws
  bool carries_estimate;           // STORM: alpha matters
  bool baseline;                   // a rival, with its own parameter rule
  bool needs_whole_space;          // its theory has X = R^n and equality rows only
  bool chooses_iterate;            // has cheaper iterates than the dense one (choose_iterate)
  std::unique_ptr<Method> (*create)(const StandardForm& form, Iterate start, const Drawing& drawing);
};

const std::vector<AlgorithmDescription>& all_algorithms();
const AlgorithmDescription* find_algorithm(std::string_view name);

}  // namespace bridle
