#include "bridle/algorithms/registry.hpp"

#include "bridle/algorithms/smoothed.hpp"

namespace bridle {
namespace {

template <template <class> class Algorithm>
std::unique_ptr<Method> create(const StandardForm& form, Iterate start, const Drawing& drawing) {
  return std::make_unique<Algorithm<DenseIterate>>(DenseIterate(form, std::move(start)),
                                                   form.problem().objective().sample_count(), drawing);
}

}  // namespace

const std::vector<AlgorithmDescription>& all_algorithms() {
  static const std::vector<AlgorithmDescription> algorithms = {
      {"smoothed", "Algorithm 1: smoothed linearised augmented Lagrangian, one sample per iteration", 1,
       create<Smoothed>},
  };
  return algorithms;
}

const AlgorithmDescription* find_algorithm(std::string_view name) {
  for (const auto& entry : all_algorithms())
    if (entry.name == name) return &entry;
  return nullptr;
}

}  // namespace bridle
