#include "bridle/network/rank_checkpoint.hpp"

#include <filesystem>

#include "bridle/core/archive.hpp"
#include "bridle/run/checkpoint.hpp"

namespace bridle {
namespace {

std::uint64_t mark_of(const NetworkProblem& problem, const ConsensusOptions& options, const Stage& stage,
                      const Territory& territory) {
  ArchiveWriter a;
  a(fingerprint(problem.whole,
                {.seed = options.seed, .algorithm = options.algorithm, .batch = options.batch}));
  for (const Edge& edge : problem.graph.edges) a(edge.from, edge.to, edge.probability);
  Vector gradient(problem.whole.dimension());
  for (const auto& shard : problem.shards) {
    shard.gradient(problem.whole.starting_point(), 0, gradient);
    a(shard.sample_count(), gradient);
  }
  a(problem.weights, options.literal_draws, stage, territory.rank(), territory.ranks());
  return checksum(a.bytes());
}

std::optional<NodeStates> read_states(const std::string& path, std::uint64_t mark) {
  const auto payload = read_checkpoint(path, mark);
  if (!payload) return std::nullopt;
  NodeStates out;
  ArchiveReader archive(*payload);
  archive(out);
  return out;
}

}  // namespace

RankCheckpoint::RankCheckpoint(const NetworkProblem& problem, const ConsensusOptions& options,
                               const Stage& stage, const Territory& territory)
    : file_(options.checkpoint + ".rank" + std::to_string(territory.rank())),
      before_(file_ + ".before"),
      fingerprint_(mark_of(problem, options, stage, territory)) {}

void RankCheckpoint::write(const NodeStates& states) const {
  std::error_code ignored;  // there is none before the first
  std::filesystem::rename(file_, before_, ignored);
  ArchiveWriter archive;
  archive(states);
  write_checkpoint(file_, fingerprint_, archive.bytes());
}

void RankCheckpoint::resume(Exchange& exchange, NodeStates& states) const {
  std::optional<NodeStates> latest, earlier;
  std::string trouble;
  try {
    latest = read_states(file_, fingerprint_);
    earlier = read_states(before_, fingerprint_);
  } catch (const InputError& error) {
    trouble = error.what();
  }
  if (exchange.any(!trouble.empty()))
    throw InputError(trouble.empty() ? "the checkpoint of another rank cannot be read" : trouble);

  if (!latest) latest.swap(earlier);  // lost between the two moves of a write
  const std::uint64_t common = exchange.smallest(latest ? latest->iteration : 0);
  if (latest && latest->iteration != common) latest.swap(earlier);
  const bool fits = common == 0 || (latest && latest->iteration == common);
  if (exchange.any(!fits))
    throw InputError(file_, 0, "the checkpoints of the ranks do not fit together; delete them to start anew");
  if (common > 0) states = std::move(*latest);
}

}  // namespace bridle
