// consensus(): the decentralised run from start to judge, the same in one process and over many.
#pragma once

#include "bridle/certify/certificate.hpp"
#include "bridle/core/status.hpp"
#include "bridle/network/exchange.hpp"
#include "bridle/network/network_problem.hpp"
#include "bridle/run/options.hpp"
#include "bridle/run/phases.hpp"

namespace bridle {

struct ConsensusOptions {
  // Budgets are limits. Without one a run goes on until it is certified: 30 epochs, and while that does not
  // do four times as many again from the mean point, up to a ceiling; with a checkpoint 30 epochs.
  double epochs = 0;        // in passes over all the data
  double samples = 0;       // in sample gradients of all nodes together
  double tolerance = 1e-3;  // for the judge's error of the mean point
  double agreement = 1e-3;  // largest consensus error of a certified run
  std::uint64_t seed = 1;
  std::string algorithm = "safeguarded";
  bool literal_draws = false;  // the paper's three draws instead of the estimator of less variance
  Index batch = 1;             // samples per node and iteration
  double dual_bound = 0;       // M_y of a link of probability 1, in the scaled variables; 0: chosen
  std::optional<GivenParameters> given = {};  // instead of chosen ones; no column scaling then
  double step = 0;                            // tau; 0: chosen
  std::optional<Decay> decay = {};            // of the steps; cosine by default
  double finish_reduction = 1e-4;  // the finishing phase shrinks disagreement by this; 1: no such phase
  std::string checkpoint = {};     // every rank saves its state to this + ".rankK"; empty: none
  double checkpoint_seconds = 5;   // how often, at the soonest
  bool resume = false;             // go on from the checkpoints if there are any
};

struct ConsensusResult {
  Status status = Status::budget_exhausted;
  Vector mean;              // of the x_i, or of the z_i where these are better
  Certificate certificate;  // of the mean, against the centralised problem
  // On rank 0 alone:
  Matrix points;                        // of the nodes, a column each
  double consensus_error = infinity;    // max_i |x_i - mean|
  double expected_residual = infinity;  // |E[A] x|
  double error_before_finish = infinity;
  Vector bytes_per_node;  // payload that a node sent over its links
  double up_fraction = 0;
  int ranks = 1;
  double rank_messages = 0, rank_bytes = 0;  // between ranks, all together

  std::string algorithm;
  Parameters parameters;
  Reasons reasons;
  std::uint64_t seed = 0, iterations = 0, finishing_rounds = 0, dual_resets = 0;
  double samples = 0;
  FoundBy found_by = FoundBy::loop_x;  // or the z_i, or after the closing rounds (the polish)
  PhaseTable phases;
  double solve_seconds = 0, certify_seconds = 0;
  double tolerance = 0;
  std::string advice = {};  // with status budget_exhausted: why the run stopped, and what to do
  Index message_bytes = 0;  // of one point over one link
};

struct ConsensusAlgorithm {
  std::string_view name, meaning;
};
const std::vector<ConsensusAlgorithm>& consensus_algorithms();

// Every rank calls this with its own shards, territory and exchange, and all with an observer or none.
// Throws InputError before the first iteration.
ConsensusResult consensus(const NetworkProblem& problem, const ConsensusOptions& options,
                          const Territory& territory, Exchange& exchange, Observer* observer = nullptr);
// All nodes in this process.
ConsensusResult consensus(const NetworkProblem& problem, const ConsensusOptions& options = {},
                          Observer* observer = nullptr);

// max_i |x_i - mean| and |E[A] x| of points by column.
double consensus_error(const Matrix& points);
double expected_residual(const Graph& graph, const Matrix& points);

}  // namespace bridle
