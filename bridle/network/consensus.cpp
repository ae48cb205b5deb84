#include "bridle/network/consensus.hpp"

#include <memory>

#include "bridle/certify/certify.hpp"
#include "bridle/core/count.hpp"
#include "bridle/core/nearest.hpp"
#include "bridle/network/central_objective.hpp"
#include "bridle/network/consensus_run.hpp"
#include "bridle/network/endings.hpp"
#include "bridle/network/gossip_nodes.hpp"
#include "bridle/network/network_rule.hpp"
#include "bridle/network/rank_checkpoint.hpp"
#include "bridle/network/ranks.hpp"
#include "bridle/network/safeguarded_nodes.hpp"
#include "bridle/network/storm_nodes.hpp"
#include "bridle/params/first_batch.hpp"
#include "bridle/run/driver.hpp"

namespace bridle {
namespace {

void check_options(const ConsensusOptions& options) {
  Names known;
  for (const auto& entry : consensus_algorithms()) known.emplace_back(entry.name);
  if (std::find(known.begin(), known.end(), options.algorithm) == known.end())
    throw ErrorOfAll("the algorithm '" + options.algorithm + "' is unknown here" +
                     did_you_mean(options.algorithm, known));
  if (options.literal_draws && options.algorithm == "gossip")
    throw ErrorOfAll("literal draws belong to the algorithms safeguarded and safeguarded-storm");
  if (options.batch < 1) throw ErrorOfAll("a batch needs at least one sample");
}

constexpr std::uint64_t looks = 200;   // at the points of all nodes, in a run
constexpr Index batch_of_rows = 1000;  // samples of a stream, for the figures of a look

// Asked on every rank whether to stop, and all hear the same answer.
class Agreed final : public Observer {
 public:
  Agreed(Observer* user, Exchange& exchange) : user_(user), exchange_(exchange) {}
  bool interrupted() override { return exchange_.any(user_ && user_->interrupted()); }

 private:
  Observer* user_;
  Exchange& exchange_;
};

class ConsensusRun final : public StagedWork {
 public:
  ConsensusRun(const NetworkProblem& problem, const ConsensusOptions& options, const Territory& territory,
               Exchange& exchange, Observer* observer)
      : problem_(problem),
        options_(options),
        territory_(territory),
        exchange_(exchange),
        watched_(observer != nullptr),
        observer_(territory.rank() == 0 ? observer : nullptr),
        agreed_(observer, exchange),
        whole_(problem.over_set(central_objective(problem, territory, exchange))) {
    const Stopwatch planning;
    make_plan();
    planning_seconds_ = planning.seconds();
    budget_.emplace(
        Allowance{.samples = samples_per_iteration() * static_cast<double>(plan_.stage.iterations),
                  .cost = samples_per_iteration(),
                  .numbers =
                      samples_per_iteration() * static_cast<double>(std::max<Index>(1, problem.dimension()))},
        agreed_, territory.ranks() > 1 ? Budget::Asking::together : Budget::Asking::by_the_clock);
    node_options_ = {options.seed, options.batch, first_batch(), Sampling::reshuffled, plan_.dual_bound};
    if (territory.ranks() == 1) node_options_.stop = [this] { return budget_->stop(); };
    loop_ = make_loop();
    if (options.checkpoint.empty()) return;
    checkpoint_.emplace(whole_, problem, options, plan_, territory);
    if (options.resume) checkpoint_->resume(exchange, loop_->states());
  }

  ConsensusResult run() {
    describe();
    {
      const auto turn = budget_->turn(Phase::loop);
      drive(*this, *budget_);
    }
    Endings endings(exchange_, territory_);
    endings.add(loop_->points(), FoundBy::loop_x);
    if (options_.algorithm != "gossip") endings.add(loop_->smoothed_points(), FoundBy::loop_z);
    result_.error_before_finish = consensus_error(endings.first().points);
    finish(endings);
    judge(endings);
    account();
    tell_result();
    return std::move(result_);
  }

  // There is one stage, and the judge sees its end only.
  bool open_stage() override { return !stage_is_over(); }
  bool stage_is_over() const override { return done() >= plan_.stage.iterations; }
  void close_stage() override {}
  bool look() override { return false; }

  bool advance() override {
    const std::uint64_t total = plan_.stage.iterations;
    std::uint64_t look = done() * looks / total;
    while (total * (look + 1) / looks <= done()) ++look;
    const std::uint64_t count = total * (look + 1) / looks - done();
    return budget_->work_off(count, [&](std::uint64_t n) { return loop_->run(plan_.stage, done(), n); }) ==
           count;
  }

 private:
  std::uint64_t done() const { return loop_->states().iteration; }
  bool storm() const { return options_.algorithm == "safeguarded-storm"; }
  double samples_per_iteration() const {
    return static_cast<double>((storm() ? 2 : 1) * problem_.graph.nodes * options_.batch);
  }
  Index first_batch() const { return bridle::first_batch(plan_.stage, options_.batch); }
  // Iterations that take as many samples as STORM's first gradient, a batch at one point, has beyond its own.
  std::uint64_t iterations_of_first_batch(std::uint64_t planned) const {
    if (!storm()) return 0;
    const double more = static_cast<double>(bridle::first_batch({{}, {}, planned}, options_.batch)) /
                            (2 * static_cast<double>(options_.batch)) -
                        1;
    return std::min(planned - std::min<std::uint64_t>(planned, 1), to_count(std::ceil(std::max(0.0, more))));
  }

  // Of all nodes; streams without end count as if they had 100,000 together.
  double samples_of_an_epoch() {
    Matrix counts(1, territory_.hosted());
    bool streams = false;
    for (Index k = 0; k < territory_.hosted(); ++k) {
      const Index count = problem_.shards[static_cast<std::size_t>(k)].sample_count();
      streams = streams || count == endless;
      counts(0, k) = static_cast<double>(count);
    }
    const double sum = exchange_.sum(counts)[0];
    return exchange_.any(streams) ? 1e5 : sum;
  }

  void make_plan() {
    double budget = options_.samples;
    if (budget == 0) budget = options_.epochs * samples_of_an_epoch();
    const std::uint64_t planned = to_count(budget / samples_per_iteration());
    const std::uint64_t iterations = planned - iterations_of_first_batch(planned);
    plan_ = network_plan(problem_,
                         {.iterations = iterations,
                          .batch = options_.batch,
                          .carries_estimate = storm(),
                          .literal_draws = options_.literal_draws,
                          .seed = options_.seed,
                          .step = options_.step,
                          .decay = options_.decay.value_or(Decay::cosine)},
                         territory_, exchange_);
    if (options_.given) {
      plan_.scaling = {};
      plan_.stage = {options_.given->parameters, options_.given->schedule, iterations};
      plan_.reasons.clear();
    }
    if (!(options_.dual_bound > 0)) return;
    plan_.dual_bound = options_.dual_bound;
    for (Reason& reason : plan_.reasons)
      if (reason.symbol == "M_y") reason = {"M_y", plan_.dual_bound, "given, over p on a link"};
  }

  std::unique_ptr<NodeLoop> make_loop() {
    const auto make = [&]<class Loop>(std::type_identity<Loop>) -> std::unique_ptr<NodeLoop> {
      return std::make_unique<Loop>(problem_, plan_.scaling, territory_, exchange_, node_options_);
    };
    if (options_.algorithm == "gossip") return make(std::type_identity<GossipNodes>{});
    if (storm() && options_.literal_draws) return make(std::type_identity<LiteralStormNodes>{});
    if (storm()) return make(std::type_identity<StormNodes>{});
    if (options_.literal_draws) return make(std::type_identity<LiteralNodes>{});
    return make(std::type_identity<SafeguardedNodes>{});
  }

  void describe() {
    if (!observer_) return;
    observer_->started({.budget = budget_->samples(),
                        .algorithm = options_.algorithm,
                        .regime = std::to_string(problem_.graph.nodes) + " nodes, " +
                                  std::to_string(problem_.graph.edges.size()) + " edges",
                        .resumed = done() > 0});
    observer_->stage(1, plan_.stage, plan_.reasons);
  }

  // Rank 0's clock says when, so that all ranks save the same iteration.
  void save(bool last) override {
    if (!checkpoint_) return;
    const bool due = territory_.rank() == 0 && since_save_.seconds() >= options_.checkpoint_seconds;
    if (!exchange_.any(last || stage_is_over() || due)) return;
    try {
      checkpoint_->write(loop_->states());
    } catch (const InputError& error) {  // a run that may be hours old is not lost to a full disk
      if (observer_) observer_->warning(error.what() + std::string("; the run goes on without"));
    }
    since_save_.restart();
  }

  void tell() override {
    if (!watched_) return;
    const Matrix points = loop_->points(), all = exchange_.gather(points);
    const Vector mean = mean_of_nodes(points, exchange_, territory_);
    const double objective = whole_.objective().mean_value(mean).value_or(std::nan(""));
    Progress progress;
    if (exchange_.any(observer_ && observer_->wants() == Observer::Wants::figures)) {
      const Certificate certificate = certify(whole_, mean, Vector(0), {.batch = batch_of_rows});
      progress.stationarity = certificate.stationarity.absolute;
      progress.error = certificate.error();
    }
    if (!observer_) return;
    progress.iterations = done();
    progress.samples = samples_per_iteration() * static_cast<double>(done());
    progress.budget = budget_->samples();
    progress.stage = 1;
    progress.objective = objective;
    progress.feasibility = expected_residual(problem_.graph, all);
    progress.step = plan_.stage.at(done()).tau;
    progress.seconds = budget_->seconds();
    progress.seconds_left = progress.seconds * (progress.budget / progress.samples - 1);
    observer_->progress(progress);
  }

  // The mean point that is returned, as it was judged.
  void tell_result() {
    if (!observer_) return;
    observer_->progress({.iterations = result_.iterations,
                         .samples = result_.samples,
                         .budget = budget_->samples(),
                         .stage = 1,
                         .phase = "result",
                         .objective = result_.certificate.objective,
                         .feasibility = result_.expected_residual,
                         .stationarity = result_.certificate.stationarity.absolute,
                         .error = result_.certificate.error(),
                         .seconds = budget_->seconds()});
  }

  // Steps that shrink leave the last disagreement in place: rounds of averaging alone remove it.
  void finish(Endings& endings) {
    const auto turn = budget_->turn(Phase::polish);
    const std::uint64_t first = loop_->states().iteration;
    Averaging averaging(problem_.graph, territory_, options_.seed);
    // An impatient user gets a few rounds only.
    const std::uint64_t most =
        budget_->interrupted() ? 10 : std::max<std::uint64_t>(10, plan_.stage.iterations / 10);
    result_.finishing_rounds = averaging.rounds_for(options_.finish_reduction, first, most);
    GossipNodes finisher(problem_, plan_.scaling, territory_, exchange_, node_options_);
    finisher.states().x.leftCols(territory_.hosted()) =
        loop_->states().x.topLeftCorner(loop_->dimension(), territory_.hosted());
    finisher.states().iteration = first;
    for (std::uint64_t k = 0; k < result_.finishing_rounds; ++k) finisher.step({});
    if (result_.finishing_rounds > 0) endings.add(finisher.points(), FoundBy::polish);
    count_bytes(finisher);
  }

  void count_bytes(const NodeLoop& finisher) {
    const NodeStates& states = loop_->states();
    Matrix counts(5, territory_.hosted());  // of every node: sends, bytes, and a share of its rank's figures
    const auto share = [&](std::uint64_t figure) {
      return static_cast<double>(figure) / static_cast<double>(territory_.hosted());
    };
    counts.row(0) = states.sends;
    counts.row(1) = states.sends * static_cast<double>(loop_->message_bytes()) +
                    finisher.states().sends * static_cast<double>(finisher.message_bytes());
    counts.row(2).setConstant(share(states.resets));
    counts.row(3).setConstant(share(exchange_.messages()));
    counts.row(4).setConstant(share(exchange_.bytes()));
    const Matrix all = exchange_.gather(counts);
    result_.iterations = states.iteration;
    result_.samples = samples_per_iteration() * static_cast<double>(states.iteration);
    if (storm())  // the first gradient is that of a batch, at one point
      result_.samples += static_cast<double>(problem_.graph.nodes * (first_batch() - 2 * options_.batch));
    result_.message_bytes = loop_->message_bytes();
    if (territory_.rank() != 0) return;
    result_.bytes_per_node = all.row(1);
    result_.dual_resets = static_cast<std::uint64_t>(std::llround(all.row(2).sum()));
    result_.ranks = territory_.ranks();
    result_.rank_messages = std::round(all.row(3).sum());
    result_.rank_bytes = std::round(all.row(4).sum());
    const double chances = static_cast<double>(problem_.graph.edges.size() * states.iteration);
    if (chances > 0) result_.up_fraction = all.row(0).sum() / (2 * chances);
  }

  void judge(Endings& endings) {
    const auto turn = budget_->turn(Phase::judge);
    result_.algorithm = options_.algorithm;
    result_.parameters = plan_.stage.parameters;
    result_.reasons = plan_.reasons;
    result_.seed = options_.seed;
    result_.tolerance = options_.tolerance;
    const Ending& best =
        endings.best(whole_, options_.tolerance, options_.agreement, budget_->spent.phases[Phase::judge]);
    result_.found_by = best.found_by;
    result_.points = best.points;
    result_.mean = best.mean;
    result_.certificate = best.certificate;
    Verdict verdict;
    if (territory_.rank() == 0) {
      result_.consensus_error = consensus_error(result_.points);
      result_.expected_residual = expected_residual(problem_.graph, result_.points);
      verdict.diverged = !result_.points.allFinite();
      verdict.holds =
          result_.certificate.holds(options_.tolerance) && result_.consensus_error <= options_.agreement;
    }
    verdict.holds = exchange_.any(verdict.holds);
    verdict.diverged = exchange_.any(verdict.diverged);
    verdict.interrupted = budget_->interrupted();
    result_.status = status_of(verdict);
  }

  void account() {
    result_.phases = budget_->spent_until_now().phases;
    result_.phases[Phase::start].seconds += planning_seconds_;
    result_.phases[Phase::loop] +=
        {.sample_gradients = result_.samples,
         .projections = static_cast<double>(result_.iterations) * static_cast<double>(problem_.graph.nodes)};
    result_.solve_seconds = result_.phases.working_seconds();
    result_.certify_seconds = result_.phases[Phase::judge].seconds;
  }

  const NetworkProblem& problem_;
  const ConsensusOptions& options_;
  const Territory& territory_;
  Exchange& exchange_;
  bool watched_;
  Observer* observer_;  // told on rank 0 alone
  Agreed agreed_;
  Problem whole_;  // the centralised problem: what the judge knows
  NetworkPlan plan_;
  NodeOptions node_options_;
  std::unique_ptr<NodeLoop> loop_;
  std::optional<RankCheckpoint> checkpoint_;
  std::optional<Budget> budget_;
  Stopwatch since_save_;
  double planning_seconds_ = 0;
  ConsensusResult result_;
};

}  // namespace

const std::vector<ConsensusAlgorithm>& consensus_algorithms() {
  static const std::vector<ConsensusAlgorithm> algorithms = {
      {"safeguarded", "Algorithm 2: smoothed primal-dual steps with the dual safeguard"},
      {"safeguarded-storm", "Algorithm 4: Algorithm 2 with STORM variance reduction"},
      {"gossip", "rival: decentralised SGD with gossip averaging"},
  };
  return algorithms;
}

ConsensusResult consensus_run(const NetworkProblem& problem, const ConsensusOptions& options,
                              const Territory& territory, Exchange& exchange, Observer* observer) {
  problem.check(territory);
  check_options(options);
  return ConsensusRun(problem, options, territory, exchange, observer).run();
}

double consensus_error(const Matrix& points) {
  if (points.size() == 0) return infinity;
  return (points.colwise() - points.rowwise().mean()).colwise().norm().maxCoeff();
}

double expected_residual(const Graph& graph, const Matrix& points) {
  double squares = 0;
  for (const Edge& edge : graph.edges)
    squares +=
        edge.probability * edge.probability * (points.col(edge.from) - points.col(edge.to)).squaredNorm();
  return std::sqrt(squares);
}

}  // namespace bridle
