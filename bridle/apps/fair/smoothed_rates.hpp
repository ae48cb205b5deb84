// Rates of positive decisions made smooth: the step at score 0 becomes a sigmoid, cell by cell.
#pragma once

#include "bridle/apps/fair/cells.hpp"
#include "bridle/apps/fair/scorer.hpp"

namespace bridle {

// How steep the sigmoid of each cell is.
using Slopes = Vector;

// The derivative of a smoothed rate is a kernel estimate of the density of scores at 0, so that its width is
// Silverman's: proportional to the scores' deviation in the cell over n^(1/5). `width` is the factor of the
// slope: 1.7 is Silverman's for the logistic kernel, smaller ones smooth more. Where all scores of a cell are
// the same (at w = 0) the slope is 1: rows are then differences of group means, as covariances are.
Slopes slopes_of(const Cells& cells, const Vector& scores, double width);

// The smoothed rate of each cell.
Vector smoothed_rates(const Cells& cells, const Slopes& slopes, const Vector& scores);
// Values of the rows for rates of the cells.
Vector values_of(const std::vector<RateRow>& rows, const Vector& rates);

struct SmoothedRows {
  Vector values;    // of each row
  Matrix jacobian;  // one line per row
};
SmoothedRows smoothed_rows(const Cells& cells, const std::vector<RateRow>& rows, const Slopes& slopes,
                           const Scorer& scorer, const Vector& w, const Vector& scores);

}  // namespace bridle
