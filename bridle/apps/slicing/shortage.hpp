// What to do where capacities are too small: which flows do not fit, and how much larger the links would have
// to be.
#pragma once

#include <optional>

#include "bridle/apps/slicing/slice.hpp"

namespace bridle {

struct Shortage {
  // The flows that the linear program over chains cannot carry in full when it sheds as little rate as it
  // can; without them it has a solution. None where it has one with all.
  std::vector<std::size_t> flows;
  double rate = 0;          // proven: at least so much finds no room
  double least_factor = 0;  // proven: the capacities of links must be multiplied by so much; infinite where
                            // no links help
  std::optional<double> factor;  // a factor for which a plan was found, and the judge found it sound
  double tried = 0;              // the largest factor for which none was found
  bool modules_do = false;       // so was one with the modules that the network's file offers
};

// Deterministic; a search with a time limit has it here too.
Shortage shortage_of(const SliceInstance& instance, const SliceOptions& options, const SliceWatch& watch);

// Whether a plan that keeps the capacities is found, by one run that ends with the first.
bool can_be_placed(const SliceInstance& instance, const SliceOptions& options, const SliceWatch& watch);

SliceInstance with_larger_links(SliceInstance instance, double factor);

}  // namespace bridle
