#include <algorithm>
#include <cmath>

#include "bridle/core/formatted.hpp"
#include "bridle/network/consensus_run.hpp"
#include "bridle/run/round_ends.hpp"
#include "bridle/run/rounds.hpp"

namespace bridle {
namespace {

constexpr double first_epochs = 30;
constexpr int most_rounds = 6;  // 1,365 times the first budget

// Adds what earlier rounds have taken to the figures that it passes on.
class Summing final : public Observer {
 public:
  explicit Summing(Observer& user) : user_(user) {}
  void started(const RunInfo& info) override {
    RunInfo said = info;
    said.round = round;
    user_.started(said);
  }
  void stage(int number, const Stage& stage, const Reasons& reasons) override {
    user_.stage(number, stage, reasons);
  }
  void event(const std::string& text) override { user_.event(text); }
  void warning(const std::string& text) override { user_.warning(text); }
  void progress(const Progress& progress) override {
    Progress sum = progress;
    sum.iterations += before.iterations;
    sum.samples += before.samples;
    sum.budget += before.samples;
    sum.seconds += before.solve_seconds + before.certify_seconds;
    sum.stage = round;
    user_.progress(sum);
  }
  Wants wants() override { return user_.wants(); }
  bool interrupted() override { return user_.interrupted(); }

  ConsensusResult before;  // of all earlier rounds
  int round = 1;

 private:
  Observer& user_;
};

void add_spending(const ConsensusResult& before, ConsensusResult& now) {
  now.iterations += before.iterations;
  now.samples += before.samples;
  now.solve_seconds += before.solve_seconds;
  now.certify_seconds += before.certify_seconds;
  now.phases += before.phases;
  now.finishing_rounds += before.finishing_rounds;
  now.dual_resets += before.dual_resets;
  now.rank_messages += before.rank_messages;
  now.rank_bytes += before.rank_bytes;
  if (before.bytes_per_node.size() == now.bytes_per_node.size()) now.bytes_per_node += before.bytes_per_node;
}

// How far a result is from what was asked, 1 or less when it is there; the same on all ranks.
double miss(const ConsensusResult& result, const ConsensusOptions& options, Exchange& exchange) {
  double out = result.certificate.error() / std::max(options.tolerance, 1e-300);
  // Rank 0 alone knows of the disagreement: the others hear whether it is what is missing.
  if (exchange.any(std::isfinite(result.consensus_error) && result.consensus_error > options.agreement))
    out = std::max(out, 2.0);
  return out;
}

}  // namespace

// No budget: as many rounds as it takes, each from the mean point of the last.
ConsensusResult consensus(const NetworkProblem& problem, const ConsensusOptions& options,
                          const Territory& territory, Exchange& exchange, Observer* observer) {
  ConsensusOptions round = options;
  const bool unlimited = options.samples == 0 && options.epochs == 0;
  if (unlimited) round.epochs = first_epochs;
  const bool goes_on =
      unlimited && options.checkpoint.empty() && options.algorithm != "gossip" && !options.given;
  Observer silent;
  RoundEnds ends(observer ? *observer : silent);
  Summing summing(ends);
  Observer* const watching = observer ? &summing : nullptr;
  NetworkProblem from = problem;
  ConsensusResult result = consensus_run(from, round, territory, exchange, watching);
  StoppedBy reason = StoppedBy::samples;
  double before = infinity;
  int stalled = 0;
  while (goes_on && result.status == Status::budget_exhausted) {
    const double now = miss(result, options, exchange);
    stalled = now > worth_going_on * before ? stalled + 1 : 0;
    before = std::min(before, now);
    if (stalled >= patient_rounds || summing.round >= most_rounds) {
      reason = stalled >= patient_rounds ? StoppedBy::stall : StoppedBy::ceiling;
      break;
    }
    round.epochs = next_round(round.epochs, first_epochs);
    ends.go_on();
    if (observer && territory.rank() == 0)
      observer->event(
          formatted("error %.2g, consensus error %.2g: it goes on from the mean point, for %.4g epochs",
                    result.certificate.error(), result.consensus_error, round.epochs));
    ++summing.round;
    summing.before = result;
    if (result.mean.allFinite()) from.start = result.mean;
    result = consensus_run(from, round, territory, exchange, watching);
    add_spending(summing.before, result);
  }
  ends.end();
  if (result.status == Status::budget_exhausted)
    result.advice = advice(reason, result.samples, result.certificate);
  return result;
}

ConsensusResult consensus(const NetworkProblem& problem, const ConsensusOptions& options,
                          Observer* observer) {
  problem.graph.check();
  const Territory everything(problem.graph, 0, 1);
  OneProcess exchange;
  return consensus(problem, options, everything, exchange, observer);
}

}  // namespace bridle
