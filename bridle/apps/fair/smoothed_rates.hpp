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

// The rows as smooth constraints of a problem: lower <= row - offset <= upper. The offset is what the
// smoothing adds to a row: with it bounds are on decisions and not on what stands for them.
class SmoothedRateRows {
 public:
  // All of them must outlive it.
  SmoothedRateRows(const Cells& cells, const std::vector<RateRow>& rows, const Scorer& scorer, Slopes slopes,
                   Vector offset)
      : cells_(cells), rows_(rows), scorer_(scorer), slopes_(std::move(slopes)), offset_(std::move(offset)) {}

  Index dimension() const { return scorer_.weights(); }
  Index count() const { return static_cast<Index>(rows_.size()); }
  void value(ConstVectorRef w, VectorRef out) const;
  void jacobian(ConstVectorRef w, Matrix& out) const;
  void value_and_jacobian(ConstVectorRef w, VectorRef value, Matrix& jacobian) const;
  void hessian(ConstVectorRef w, ConstVectorRef multipliers, Matrix& out) const;

  Vector lower() const;
  Vector upper() const;

 private:
  const Cells& cells_;
  const std::vector<RateRow>& rows_;
  const Scorer& scorer_;
  Slopes slopes_;
  Vector offset_;
};

}  // namespace bridle
