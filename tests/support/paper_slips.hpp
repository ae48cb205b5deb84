// The slips of the paper's source, each with a number that shows it. The test of `diagnose` asserts all of
// them; ./scripts/bench paper prints them (docs/errata.md).
#pragma once

#include <string>
#include <vector>

namespace bridle::paper {

// How the number that follows from the text must stand to `demanded`, which is measured or known.
enum class Demand { equal, at_least, at_most };

struct Slip {
  std::string place;       // in the paper
  std::string as_printed;  // what the text says
  std::string right;       // what holds
  std::string check;       // what the numbers below are
  Demand demand;
  double demanded, printed, corrected;
  std::string consequence;

  bool holds(double value) const;
  // What is right holds, and what is printed does not.
  bool shown() const { return holds(corrected) && !holds(printed); }
};

std::vector<Slip> paper_slips();

// The printed branch of eta that is wrong by a factor 2, over the branch of the same minimum that acts: the
// least ratio over smoothness L_f from 1e-3 to 1e3. Above 1 the wrong branch never acts.
double unused_branch_ratio();
// The largest |y f^3 - (y f)^3| over labels -1 and 1: the two spellings of the smoothed 0-1 loss.
double cube_difference();

}  // namespace bridle::paper
