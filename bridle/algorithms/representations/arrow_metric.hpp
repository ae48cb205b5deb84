// The metric M = (A A' + D)^-1 of many rows of which all but a few have no variable in common: A A' is then
// diagonal but for a few rows and columns, and M r costs two vector operations for each of these. (The sparse
// factor of RowMetric does the same one entry after the other.)
#pragma once

#include <optional>
#include <vector>

#include "bridle/core/lane_vector.hpp"
#include "bridle/scaling/standard_form.hpp"

namespace bridle {

class ArrowMetric {
 public:
  // Nothing where the form's metric is of another kind, or its rows are.
  static std::optional<ArrowMetric> of(const StandardForm& form);

  // out <- M r, both in whole lanes
  void apply(const double* r, double* out) const;

 private:
  ArrowMetric() = default;

  Index lanes_ = 0;               // numbers in whole lanes
  LaneVector inverse_;            // of the diagonal on the many rows; 0 on the few
  std::vector<Index> few_;        // rows
  std::vector<LaneVector> arms_;  // of each of the few: its products with the many, divided by their diagonal
  Matrix corner_;                 // what is left for the few: the inverse of the Schur complement
};

}  // namespace bridle
