// One decentralised run with a given budget; consensus() makes as many of them as it takes.
#pragma once

#include "bridle/network/consensus.hpp"

namespace bridle {

ConsensusResult consensus_run(const NetworkProblem& problem, const ConsensusOptions& options,
                              const Territory& territory, Exchange& exchange, Observer* observer);

}  // namespace bridle
