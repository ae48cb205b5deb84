// Bounds on rates of decisions: what is asked, what was counted, and how it was found.
#pragma once

#include <cmath>
#include <optional>
#include <string_view>

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

  // NaN where nobody is there: not measured.
  double rate() const { return static_cast<double>(selected) / static_cast<double>(people); }
  double standard_error() const;
  std::string name() const;  // "sex = f, positive label"
};

// How far apart rates are. Its figures are of the cells that have people, and NaN where no two of them are to
// be compared.
struct RateSpread {
  std::vector<CellFigures> cells;
  double gap = std::nan("");             // largest difference of two rates that are compared
  double standard_error = std::nan("");  // of that difference
  double ratio = std::nan("");           // smallest ratio of two; 1 where nobody is selected

  bool measured() const { return !std::isnan(gap); }
};
RateSpread spread_of(const Cells& cells, const FairData& data, const Vector& scores);

// What rates counted over a sample of people, which the model was not trained on, say of all people.
enum class Finding { reached, not_reached, not_decided, not_measured };
std::string_view to_string(Finding finding);  // "not decided by this sample"

struct SampleFinding {
  Finding finding = Finding::not_measured;
  // 95% interval of the figure that was asked for: the largest gap, or the smallest ratio. Of several pairs
  // of groups it is that of all pairs at once.
  double low = 0, high = 1;
  Names missing = {};  // cells without anybody: "sex = f, positive label"
};
// Reached: the whole interval is as asked. Not reached: none of it is. Where a cell has nobody, "reached" is
// never said.
SampleFinding finding_of(const RateStatement& request, const RateSpread& sample);

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
  // What was asked for there, where a confidence tightens the bound: the one may hold without the other.
  bool asked_holds = false;
  double tightest = 0;  // bound on a row after tightening: the request itself without a confidence
  double optimism = 0;  // of that tightening, what models learn by heart
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
  Names empty;             // cells without anybody in the training data, which are in no comparison
  std::vector<RateCandidate> tried;
};

}  // namespace bridle
