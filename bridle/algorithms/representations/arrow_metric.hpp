// The metric M = (A A' + D)^-1 of rows of which many, the grouped ones, have no variable in common: A A' + D
// is diagonal there, and M is known from a few vectors:
//
//     q_others = corner (r_others - arms r_grouped),   q_grouped = inverse r_grouped - arms' q_others.
//
// (The sparse factor of RowMetric does the same one entry after the other.)
#pragma once

#include <optional>
#include <vector>

#include "bridle/scaling/standard_form.hpp"

namespace bridle {

struct ArrowMetric {
  Vector inverse;  // of the diagonal, for the grouped rows
  Matrix arms;     // others x grouped: products of the rows, divided by the grouped row's diagonal
  Matrix corner;   // of the others: the inverse of the Schur complement

  // Nothing where the numbers are not finite. Metrics of other kinds than (A A' + D)^-1 are multiples of I
  // and have arms of zeros.
  static std::optional<ArrowMetric> of(const StandardForm& form, const std::vector<Index>& grouped,
                                       const std::vector<Index>& others);
};

}  // namespace bridle
