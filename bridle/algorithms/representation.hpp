// How an algorithm may store its iterate: all representations give the same iterates up to rounding, at
// different cost. Each is asked whether it applies to a stage; the first that does is taken.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "bridle/algorithms/method.hpp"
#include "bridle/scaling/standard_form.hpp"

namespace bridle {

struct Applicability {
  std::string against = {};   // what speaks against it; empty: it applies
  double touched = 0;         // variables that a step touches, on average
  double sample = 0;          // those of them that each sample of a batch brings
  double moved = 0;           // numbers that it moves whatever is drawn, as often as it does, of sparse data
  bool waits = false;         // its slopes wait for the rows of the step before, and they for its slopes
  std::string besides = {};   // what a step touches besides what the meaning says
  bool another_kind = false;  // it is for other kinds of problems: that it does not apply is not worth a word
};

struct Representation {
  std::string_view name;
  std::string_view meaning;  // what a step costs; empty: what spoke against the one before says it
  Applicability (*applies)(const StandardForm& form, const Stage& stage, const Iterate& start);
  // For a form, a stage and a start that it applies to.
  std::unique_ptr<Method> (*create)(const StandardForm& form, const Stage& stage, const Iterate& start,
                                    const MethodSettings& settings);
  bool whole_batches = false;  // keeps all samples of a batch until the step is taken: not for large ones
};

}  // namespace bridle
