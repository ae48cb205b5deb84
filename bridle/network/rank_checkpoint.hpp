// Checkpoints of a decentralised run: one file per rank, and the one before it, since a rank may be lost
// between the writes of two others.
#pragma once

#include "bridle/network/consensus.hpp"
#include "bridle/network/network_rule.hpp"
#include "bridle/network/node_loop.hpp"

namespace bridle {

class RankCheckpoint {
 public:
  // `whole` is the centralised problem. A collective.
  RankCheckpoint(const Problem& whole, const NetworkProblem& problem, const ConsensusOptions& options,
                 const NetworkPlan& plan, const Territory& territory);

  void write(const NodeStates& states) const;
  // The states of the latest iteration that all ranks have on disk; untouched when one has none. Throws
  // InputError on all ranks when the files are damaged, of another run, or do not fit together.
  void resume(Exchange& exchange, NodeStates& states) const;

 private:
  std::optional<NodeStates> read(const std::string& path) const;

  std::string file_, before_;
  int rank_, ranks_;
  std::uint64_t fingerprint_;
};

}  // namespace bridle
