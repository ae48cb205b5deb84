// The algorithms by name. The command's help and the docs read this list; nobody retypes a name.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "bridle/algorithms/method.hpp"
#include "bridle/algorithms/sampled_iterate.hpp"

namespace bridle {

struct AlgorithmDescription {
  std::string_view name;
  std::string_view meaning;
  double gradients_per_iteration;  // sample gradients, per sample of the batch; 0: a full gradient
  bool samples_rows;               // sees the rows through draws
  bool carries_estimate;           // STORM: alpha matters
  bool baseline;                   // a rival, with its own parameter rule
  bool needs_whole_space;          // its theory has X = R^n and equality rows only
  IterateChoice (*choose)(const StandardForm& form, const Stage& stage,
                          const Iterate& start);  // the cheapest iterate; null: there is only the dense one
  std::unique_ptr<Method> (*create)(const StandardForm& form, Iterate start, const Drawing& drawing);
};

const std::vector<AlgorithmDescription>& all_algorithms();
const AlgorithmDescription* find_algorithm(std::string_view name);

}  // namespace bridle
