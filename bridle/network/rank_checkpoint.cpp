#include "bridle/network/rank_checkpoint.hpp"

#include <filesystem>

#include "bridle/core/archive.hpp"
#include "bridle/network/ranks.hpp"
#include "bridle/run/checkpoint.hpp"

namespace bridle {
namespace {

// The same on all ranks: every node has its say through the centralised objective. Not how many iterations
// there are to be: a run may go on with a larger budget.
std::uint64_t fingerprint_of(const Problem& whole, const NetworkProblem& problem,
                             const ConsensusOptions& options, const NetworkPlan& plan) {
  ArchiveWriter a;
  a(fingerprint(whole, {.seed = options.seed, .algorithm = options.algorithm, .batch = options.batch}));
  for (const Edge& edge : problem.graph.edges) a(edge.from, edge.to, edge.probability);
  a(options.literal_draws, options.step, plan.stage.schedule, plan.scaling, plan.dual_bound);
  if (options.given) a(options.given->parameters);
  return checksum(a.bytes());
}

}  // namespace

RankCheckpoint::RankCheckpoint(const Problem& whole, const NetworkProblem& problem,
                               const ConsensusOptions& options, const NetworkPlan& plan,
                               const Territory& territory)
    : file_(options.checkpoint + ".rank" + std::to_string(territory.rank())),
      before_(file_ + ".before"),
      rank_(territory.rank()),
      ranks_(territory.ranks()),
      fingerprint_(fingerprint_of(whole, problem, options, plan)) {}

std::optional<NodeStates> RankCheckpoint::read(const std::string& path) const {
  const auto payload = read_checkpoint(path, fingerprint_);
  if (!payload) return std::nullopt;
  ArchiveReader archive(*payload, path);
  NodeStates out;
  int rank = 0, ranks = 0;
  archive(rank, ranks);
  if (ranks != ranks_)
    throw InputError(path, 0,
                     "the checkpoint is one of " + std::to_string(ranks) + " ranks, but this run has " +
                         std::to_string(ranks_) + "; resume with mpirun -n " + std::to_string(ranks));
  if (rank != rank_) throw InputError(path, 0, "the checkpoint is that of rank " + std::to_string(rank));
  archive(out);
  if (!archive.at_end()) archive.refuse("it has more than a state");
  return out;
}

void RankCheckpoint::write(const NodeStates& states) const {
  std::error_code ignored;  // there is none before the first
  std::filesystem::rename(file_, before_, ignored);
  ArchiveWriter archive;
  archive(rank_, ranks_, states);
  write_checkpoint(file_, fingerprint_, archive.bytes());
}

void RankCheckpoint::resume(Exchange& exchange, NodeStates& states) const {
  std::optional<NodeStates> latest, earlier;
  std::string trouble;
  try {
    latest = read(file_);
    earlier = read(before_);
  } catch (const InputError& error) {
    trouble = error.what();
  }
  if (exchange.any(!trouble.empty()))
    throw ErrorOfAll(trouble.empty() ? "the checkpoint of another rank cannot be read" : trouble);

  if (!latest) latest.swap(earlier);  // lost between the two moves of a write
  const std::uint64_t common = exchange.smallest(latest ? latest->iteration : 0);
  if (latest && latest->iteration != common) latest.swap(earlier);
  const bool fits = common == 0 || (latest && latest->iteration == common);
  if (exchange.any(!fits))
    throw ErrorOfAll(file_, 0, "the checkpoints of the ranks do not fit together; delete them to start anew");
  if (common > 0) states = std::move(*latest);
}

}  // namespace bridle
