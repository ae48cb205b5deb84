// The algorithms by name. The command's help and the docs read this list; nobody retypes a name.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "bridle/algorithms/method.hpp"

namespace bridle {

struct AlgorithmDescription {
  std::string_view name;
  std::string_view meaning;
  double gradients_per_iteration;  // sample gradients, per sample of the batch
  std::unique_ptr<Method> (*create)(const StandardForm& form, Iterate start, const Drawing& drawing);
};

const std::vector<AlgorithmDescription>& all_algorithms();
const AlgorithmDescription* find_algorithm(std::string_view name);

}  // namespace bridle
