// The algorithms by name. The command's help and the docs read this list; nobody retypes a name.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "bridle/algorithms/representation.hpp"
#include "bridle/algorithms/representations/sampled_iterate.hpp"

namespace bridle {

// The representation that a stage gets.
struct RepresentationChoice {
  const Representation* representation;
  double touched = 0;  // variables that a step touches, on average
  double moved = 0;    // numbers that it moves whatever is drawn, of sparse data
  bool waits = false;  // its slopes wait for the rows of the step before, and they for its slopes
  std::string why =
      {};  // its cost, and what spoke against cheaper ones; empty when there was nothing to choose
  std::string warning = {};  // a step costs much more than the sample's nonzeros, and why; else empty
};

struct AlgorithmDescription {
  std::string_view name;
  std::string_view meaning;
  double gradients_per_iteration = 1;  // sample gradients, per sample of the batch; 0: a full gradient
  bool samples_rows = false;           // sees the rows through draws
  bool carries_estimate = false;       // STORM: alpha matters
  bool large_first_batch = false;      // and its first estimate is a mean over T^(1/3) samples
  bool baseline = false;               // a rival, with its own parameter rule
  bool needs_whole_space = false;      // its theory has X = R^n and equality rows only
  bool needs_interior = false;         // its theory wants a point strictly inside all rows: no equalities
  std::vector<Representation> representations;  // in order of preference; the last one always applies

  RepresentationChoice choose(const StandardForm& form, const Stage& stage, const Iterate& start,
                              Index batch = 1) const;
  // The method in the representation that is chosen for the stage.
  std::unique_ptr<Method> create(const StandardForm& form, const Stage& stage, const Iterate& start,
                                 const MethodSettings& settings) const;
  const Representation* find_representation(std::string_view wanted) const;
  // The one that always applies, and does nothing clever.
  const Representation& plain() const { return representations.back(); }
};

const std::vector<AlgorithmDescription>& all_algorithms();
const AlgorithmDescription* find_algorithm(std::string_view name);

}  // namespace bridle
