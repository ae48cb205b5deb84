// The last touch, beyond the paper: points near the last iterate that are worth showing to the judge.
//
// The loop leaves x a little off the rows and off the bounds it should touch. One gradient step projected
// exactly onto { x in X, l <= A x <= u } puts that right; a few of them with Barzilai-Borwein lengths polish
// a finite sum.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "bridle/finish/feasible_set.hpp"

namespace bridle {

struct Candidate {
  Vector x;  // in the user's units, in X
  Vector y;
};

// What the run hands over.
struct LastPoint {
  Vector x, z, multipliers;
  Vector column_scale;   // C: curvature is about the same in all columns of x / C
  double curvature = 1;  // L in that metric
};

// Full gradient of the objective, or its mean over a large batch; false when no more may be spent.
using FullGradient = std::function<bool(const Vector& x, Vector& out)>;
// Shows a candidate to the judge, who answers with its error.
using Show = std::function<double(const Candidate&)>;

// From x and from z, which the judge has seen: the projection itself, then one projected gradient step each
// with metric 1, 5 and 25 L C^-2. Then polishing from the best of them. Ends when the judge's error is below
// `goal`, or no more gradients may be spent. Returns how many projections it took.
int finish(const Problem& problem, const LastPoint& last, double goal, const FullGradient& full_gradient,
           const Show& show);

}  // namespace bridle
