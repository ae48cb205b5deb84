// Bounds on rates of decisions: what is asked, what was counted, and how it was found.
#pragma once

#include <optional>

#include "bridle/apps/fair/cells.hpp"
#include "bridle/certify/certificate.hpp"

namespace bridle {

struct RateStatement {
  Measure measure = Measure::demographic_parity;
  double gap = 0.02;                 // rates of any two groups differ by no more than this; or, instead,
  std::optional<double> ratio = {};  // the lower of two is at least this share of the higher
  Index smallest_group = 1;          // smaller ones are not compared
  // 0: the bound is on the training data. Else it is tightened so that on fresh data it holds with about this
  // probability: on data as large as the test data, or where there is none as the training data.
  double confidence = 0;
  // What a model learns of the gap by heart, taken off the bounds too; measured where it is not given.
  std::optional<double> optimism = {};
  std::vector<double> widths = {0.4, 0.8, 1.7};  // of the smoothing; the most accurate model is taken
  int starts =
      0;  // seeds that are tried: options.seed, options.seed + 1, ...; 0: more of them for small data

  std::string text() const;  // "selection rates within 0.02 of each other"
};

// People of a group, and how many of them are selected.
struct CellFigures {
  std::string attribute, group;
  int label = 0;  // as in Cell
  Index people = 0, selected = 0;

  double rate() const { return people > 0 ? static_cast<double>(selected) / static_cast<double>(people) : 0; }
  double standard_error() const;
};

// How far apart rates are.
struct RateSpread {
  std::vector<CellFigures> cells;
  double gap = 0;             // largest difference of two rates that are compared
  double standard_error = 0;  // of that difference
  double ratio = 1;           // smallest ratio of two; 1 where nobody is selected
};
RateSpread spread_of(const Cells& cells, const FairData& data, const Vector& scores);

// One model that was trained.
struct RateCandidate {
  double width = 0;
  std::uint64_t seed = 0;
  double accuracy = 0, gap = 0, gap_before_walk = 0;
  bool reached = false;
  bool walked = false;      // by the closing walk
  bool stationary = false;  // where it is, by the steps' own figure
  double error = infinity;  // of the smoothed problem, before the walk
  int steps = 0, hessians = 0;
};

struct RateFigures {
  RateStatement request;
  bool reached = false;  // in counts, on the training data
  double tightest = 0;   // bound on a row after tightening: the request itself without a confidence
  double optimism = 0;   // of that tightening, what models learn by heart
  std::size_t bounds = 0, without_room = 0;  // rows, and those of them that the tightening leaves no room
  RateSpread train, before_walk;
  std::optional<RateSpread> test;
  double price = 0;        // sum of the rows' multipliers: fall of the objective per unit of a looser gap
  double width = 0;        // of the smoothing that was chosen
  Certificate smoothed;    // the smoothed problem, judged where the steps ended ...
  Certificate after_walk;  // ... and at the weights returned; the same where no walk was needed
  int drawn_in = 0;        // how often bounds were drawn in by some people before the counts held
  int directions = 0;      // of the walk; 0: none was needed
  double distance = 0;     // from where the steps first ended to the weights returned
  Index left_out = 0;      // people of groups that are too small
  std::vector<RateCandidate> tried;
};

}  // namespace bridle
