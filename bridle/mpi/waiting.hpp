// Waiting for MPI with an end: a rank that does not answer must not hold the others for ever.
#pragma once

#include <span>

#include "bridle/core/types.hpp"

#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

namespace bridle {

// Returns when all requests are done. Throws RankLost when `patience` seconds have passed; `ranks` are those
// behind the requests, -1 for a collective.
void wait_for(std::span<MPI_Request> requests, std::span<const int> ranks, double patience);
// One request of a collective.
void wait_for(MPI_Request& request, double patience);

// Seconds that this process has waited so far.
double seconds_waited();

// MPI counts in int: a message of more numbers than that is refused, not cut.
int message_size(Index count);

}  // namespace bridle
