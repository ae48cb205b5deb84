// Waiting for MPI with an end: a rank that does not answer must not hold the others for ever.
#pragma once

#include <span>

#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

namespace bridle {

// Returns when all requests are done. Throws RankLost when `patience` seconds have passed; `ranks` are those
// behind the requests, -1 for a collective.
void wait_for(std::span<MPI_Request> requests, std::span<const int> ranks, double patience);
// One request of a collective.
void wait_for(MPI_Request& request, double patience);

}  // namespace bridle
