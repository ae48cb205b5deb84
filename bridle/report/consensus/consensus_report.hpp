// A decentralised run as text and as JSON.
#pragma once

#include "bridle/network/consensus.hpp"
#include "bridle/report/json.hpp"

namespace bridle {

std::string consensus_text(const ConsensusResult& result);
// x is the mean point, so that `bridle certify` can judge the file.
Json to_json(const ConsensusResult& result, const Names& variables, double load_seconds);

}  // namespace bridle
