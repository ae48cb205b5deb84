#include "bridle/network/consensus.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "bridle/apps/consensus/network_file.hpp"
#include "bridle/apps/statement/parameter_file.hpp"
#include "bridle/core/atomic_file.hpp"
#include "bridle/core/error.hpp"
#include "bridle/core/file_lock.hpp"
#include "bridle/core/nearest.hpp"
#include "bridle/report/consensus/consensus_report.hpp"
#include "bridle/report/destination.hpp"
#include "bridle/report/loading.hpp"
#include "bridle/report/screen.hpp"
#include "bridle/run/checkpoint.hpp"

#include "command.hpp"
#include "ranks.hpp"

namespace bridle::cli {
namespace {

struct ConsensusArguments {
  std::string config, parameters = "auto", json, log;
  std::string decay;
  double patience = 60;
  bool quiet = false, no_finish = false;
  ConsensusOptions options;
};

std::string consensus_names() {
  std::string out;
  for (const auto& entry : consensus_algorithms())
    out += fmt::format("\n  {}: {}", entry.name, entry.meaning);
  return out;
}

void finish_arguments(ConsensusArguments& a) {
  if (a.parameters != "auto") a.options.given = read_parameters(a.parameters);
  for (const Decay decay : all_decays)
    if (a.decay == to_string(decay)) a.options.decay = decay;
  if (a.options.resume && a.options.checkpoint.empty()) throw InputError("--resume needs --checkpoint FILE");
  if (a.no_finish) a.options.finish_reduction = 1;
  only_a_file("--log", a.log);
}

class ConsensusCommand {
 public:
  explicit ConsensusCommand(ConsensusArguments a) : a_(std::move(a)), session_(a_.patience) {}

  int run() {
    const std::string& saved = a_.options.checkpoint;
    const std::string advice = saved.empty() ? "" : ", --resume goes on from " + saved + ".rank*";
    return among_ranks(session_, advice, [&] {
      const RankProcessors processors(session_);
      read();
      describe();
      const auto exchange = session_.exchange(stated_->territory);
      const ConsensusResult result =
          consensus(stated_->problem, a_.options, stated_->territory, *exchange, screen_.get());
      if (session_.rank() > 0) return 0;  // the verdict is rank 0's
      write(result);
      return exit_code(result.status);
    });
  }

 private:
  void read() {
    const auto start = std::chrono::steady_clock::now();
    session_.together([&] {
      finish_arguments(a_);
      std::FILE* const stream = screen_stream(session_.rank() > 0 || a_.quiet, a_.json);
      Screen::banner(stream);
      const LoadingScreen loading(stream);
      stated_ = read_network(a_.config, a_.options.seed, session_);
      open_outputs();
    });
    load_seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  // Rank 0 alone shows and writes.
  void open_outputs() {
    const bool speaks = session_.rank() == 0;
    if (speaks) json_.emplace(a_.json);
    std::FILE* const stream = screen_stream(!speaks || a_.quiet, a_.json);
    if (!a_.options.checkpoint.empty()) {  // a run must not be lost to a mistyped folder
      const std::string own = a_.options.checkpoint + ".rank" + std::to_string(session_.rank());
      refuse_what_is_no_checkpoint(own);
      const AtomicFile probe(own);
      checkpoint_lock_.emplace(own);
    }
    screen_ = std::make_unique<Screen>(Screen::Options{.stream = stream, .log_file = speaks ? a_.log : ""});
    Screen::catch_interrupts();
  }

  void describe() {
    const NetworkProblem& problem = stated_->problem;
    screen_->problem(problem.over_set(problem.shards.front()), stated_->description, stated_->notes,
                     load_seconds_);
    screen_->text("network     " + stated_->network +
                  (session_.ranks() > 1 ? fmt::format("; {} ranks", session_.ranks()) : "") + "\n");
  }

  void write(const ConsensusResult& result) {
    screen_->text(consensus_text(result));
    if (json_->wanted()) json_->write(to_text(to_json(result, stated_->problem.names, load_seconds_)));
  }

  ConsensusArguments a_;
  MpiSession session_;
  std::optional<StatedNetwork> stated_;
  std::optional<FileLock> checkpoint_lock_;
  std::optional<Destination> json_;
  std::unique_ptr<Screen> screen_;
  double load_seconds_ = 0;
};

}  // namespace

Action add_consensus(CLI::App& app) {
  auto a = std::make_shared<ConsensusArguments>();
  ConsensusOptions& o = a->options;
  auto* command = app.add_subcommand(
      "consensus", "Solve a problem whose data is spread over the nodes of a random network");
  command->add_option("CONFIG", a->config, "Problem file (.toml) with a section [network]")
      ->type_name("FILE")
      ->required();
  auto* samples =
      command->add_option("--samples", o.samples, "Budget in sample gradients of all nodes together")
          ->check(positive())
          ->type_name("N");
  command->add_option("--epochs", o.epochs, "Budget in passes over all the data")
      ->check(positive())
      ->type_name("E")
      ->excludes(samples);
  command->add_option("--tolerance,--target", o.tolerance, "The judge's error of the mean point to reach")
      ->check(at_least_zero())
      ->type_name("EPS")
      ->capture_default_str();
  command->add_option("--agreement", o.agreement, "The consensus error to reach")
      ->check(at_least_zero())
      ->type_name("EPS")
      ->capture_default_str();
  command->add_option("--seed", o.seed, "Seed of every random number")
      ->check(whole())
      ->type_name("S")
      ->capture_default_str();
  command->add_option("--algorithm", o.algorithm, "One of:" + consensus_names())
      ->type_name("NAME")
      ->capture_default_str();
  command->add_flag("--literal-draws", o.literal_draws,
                    "The paper's three draws of the edges instead of the estimator of less variance");
  command->add_option("--params", a->parameters, "auto, or a TOML file with the parameters")
      ->type_name("auto|FILE")
      ->capture_default_str();
  command->add_option("--step", o.step, "tau, when you know better than the rule")
      ->check(positive())
      ->type_name("TAU");
  Names decays;
  for (const Decay decay : all_decays) decays.emplace_back(to_string(decay));
  command->add_option("--decay", a->decay, "How the steps shrink (default cosine)")
      ->check(CLI::IsMember(decays))
      ->type_name("HOW");
  command->add_option("--batch", o.batch, "Samples per node and iteration")
      ->check(positive_whole())
      ->type_name("B")
      ->capture_default_str();
  command->add_option("--dual-bound", o.dual_bound, "M_y of the dual safeguard, per edge")
      ->check(positive())
      ->type_name("M");
  command->add_flag("--no-finish", a->no_finish,
                    "Leave out the closing rounds of neighbour averaging: return the loop's best, x or z");
  command->add_option("--json", a->json, "Write the result as JSON ('-': standard output)")
      ->type_name("FILE");
  command->add_option("--log", a->log, "Write the progress as CSV")->type_name("FILE");
  command
      ->add_option("--checkpoint", o.checkpoint,
                   "Every rank saves its complete state to FILE.rankK now and then")
      ->type_name("FILE");
  command->add_option("--checkpoint-seconds", o.checkpoint_seconds, "How often, at the soonest")
      ->check(at_least_zero())
      ->type_name("S")
      ->capture_default_str();
  command->add_flag("--resume", o.resume, "Go on from the checkpoints if there are any");
  command
      ->add_option("--patience", a->patience, "Seconds after which a rank that does not answer is given up")
      ->check(positive())
      ->type_name("S")
      ->capture_default_str();
  command->add_flag("--quiet", a->quiet, "Print nothing but errors");
  return [a] { return ConsensusCommand(*a).run(); };
}

}  // namespace bridle::cli
