// From a fractional point of the relaxation to placements.
#pragma once

#include <optional>

#include "bridle/apps/slicing/formulation.hpp"
#include "bridle/apps/slicing/shortest_paths.hpp"

namespace bridle {

// Function by function, the surest first: each takes its largest host with room left; where there is none, a
// smaller share elsewhere makes room (ejection), or the host is overfull. Nothing if a chain blocks itself.
std::optional<Placement> round_greedily(const Formulation& formulation, const Vector& x);

// Chain by chain, the largest first: the hosting of the shortest way at these prices of the links, plus a
// charge for the parts of x it ignores.
Placement round_chains(const Formulation& formulation, const Vector& x, const Vector& link_prices);

// The hostings of flows all of whose functions are decided, as far as nodes have room; the others stay open.
std::vector<std::optional<Hosting>> decided_hostings(const Formulation& formulation, const Vector& x);

}  // namespace bridle
