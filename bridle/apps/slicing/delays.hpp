// How long traffic takes along the links of a public topology.
#pragma once

#include "bridle/apps/slicing/network.hpp"

namespace bridle {

// Per link of the network. What the file says, for all links or none; else by the coordinates of the nodes:
// milliseconds of light in fibre (200 km each) along the great circle where they can be degrees of longitude
// and latitude, and lengths in the file's own unit where they cannot; else 1.
std::vector<double> delays_of(const Network& network);

}  // namespace bridle
