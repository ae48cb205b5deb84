// In what units the variables are measured: those of the curvatures, and where these say nothing, of the
// rows.
#pragma once

#include "bridle/second/landscape.hpp"
#include "bridle/second/region.hpp"

namespace bridle::second {

// The curvature of each variable, positive: the objective's bound, or what it is at the point the landscape
// stands on. A variable without any gets the one that makes it as long in its rows as those that have some;
// where there are none either, the way between its bounds; and the largest of all where nothing speaks of it.
Vector positive_curvature(const Problem& problem, Landscape& landscape, const Region& region);

// A metric in which all variables of a row weigh about the same, whatever their curvature: for points that
// are sought for the sake of the rows alone.
Vector metric_of_rows(const Region& region, const Vector& curvature);

}  // namespace bridle::second
