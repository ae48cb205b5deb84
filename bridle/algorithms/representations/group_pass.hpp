// The inner loop of RowGroups: a step of Algorithm 1 for rows that have no variable in common, and for their
// variables. Four rows are side by side, and what a step reads and writes of them is one stretch of memory.
#pragma once

#include "bridle/algorithms/representations/group_plan.hpp"

namespace bridle {

// A group is four rows with as many entries each (zeros fill up), its numbers in vectors of four: first those
// of the rows, then entry by entry those of the variables, one of each row.
struct GroupLayout {
  enum OfRow { y, slack, anchor, residual, inverse, coefficient, slack_lower, slack_upper, right, arms };
  enum OfVariable { x, z, value, ridge, crossing };  // bounds follow where there are some

  // `crossing`: how many rows there are across the groups, a number that `padded` returns
  static constexpr Index row_words(Index crossing) { return half_lanes * (arms + crossing); }
  static constexpr Index variable_words(Index crossing, bool bounded) {
    return half_lanes * (GroupLayout::crossing + crossing + (bounded ? 2 : 0));
  }
  // Counts that the loops are compiled for
  static constexpr Index padded(Index crossing) {
    return crossing <= 2   ? crossing
           : crossing <= 4 ? 4
           : crossing <= 8 ? 8
                           : static_cast<Index>(GroupPlan::most_crossing);
  }
};

// Groups of the same shape, one after the other.
struct GroupRun {
  Index count, entries;
  bool bounded;
  Index begin;  // in words
};

// For every group, with q_c and w_c of the rows c across:
//   q = inverse r - sum of arm_c q_c;  y += eta q;  w = y + rho q;  the slack moves along coefficient w;
//   x <- clamp(x - tau (ridge x + value w + sum of crossing_c w_c + mu (x - z)));
//   z += beta (x - z);  r <- the new residual
// and products[c] <- the sum of crossing_c x - arm_c r over all groups.
struct GroupPass {
  double* words;
  const GroupRun* runs;
  Index run_count;
  Index crossing;  // a number that GroupLayout::padded returns
  double tau, eta, rho, mu, beta;
  const double *pulls, *weights;  // q_c and w_c
  double* products;
};
void move_groups(const GroupPass& pass);

}  // namespace bridle
