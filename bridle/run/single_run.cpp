#include "bridle/run/single_run.hpp"

#include <cmath>

#include "bridle/algorithms/post_processing.hpp"
#include "bridle/core/archive.hpp"
#include "bridle/core/count.hpp"
#include "bridle/core/error.hpp"
#include "bridle/run/checkpoint.hpp"
#include "bridle/run/closing.hpp"
#include "bridle/run/driver.hpp"
#include "bridle/run/progress.hpp"
#include "bridle/run/rule.hpp"
#include "bridle/run/second_order.hpp"

namespace bridle {
namespace {

const AlgorithmDescription& algorithm_of(const SolveOptions& options) {
  if (const auto* found = find_algorithm(options.algorithm)) return *found;
  throw InputError("there is no algorithm '" + options.algorithm + "'");
}

// The paper's loop on the user's own rows and columns.
bool is_literal(const SolveOptions& options) {
  return options.source == ParameterSource::theory ||
         (options.source == ParameterSource::given && options.given &&
          options.given->metric == MetricKind::identity);
}

RunProblem problem_of(const Problem& problem, const SolveOptions& options) {
  return {problem, is_literal(options) || options.diagnose ? std::nullopt : Centring::of(problem)};
}

// Sample gradients of one iteration.
double iteration_cost(const Problem& problem, const AlgorithmDescription& algorithm, Index batch) {
  if (algorithm.gradients_per_iteration > 0)
    return algorithm.gradients_per_iteration * static_cast<double>(batch);
  if (!problem.objective().has_exact_mean())
    throw InputError("the algorithm '" + std::string(algorithm.name) +
                     "' needs full gradients, which this stream has not");
  return static_cast<double>(std::max<Index>(1, problem.objective().sample_count()));
}

// The method's state at a point.
OriginalState state_at(const Problem& problem, const Vector& x, const Vector& multipliers) {
  const Rows& rows = problem.rows();
  OriginalState out;
  out.x = out.z = x;
  out.multipliers = multipliers.size() ? multipliers : Vector(Vector::Zero(rows.count()));
  out.slacks = (rows.matrix * x).cwiseMax(rows.lower).cwiseMin(rows.upper);
  out.smoothed_slacks = out.slacks;
  return out;
}

OriginalState starting_state(const Problem& problem, const Vector& multipliers) {
  const Rows& rows = problem.rows();
  if (multipliers.size() && multipliers.size() != rows.count())
    throw InputError(std::to_string(multipliers.size()) + " multipliers to start from, but " +
                     std::to_string(rows.count()) + " rows");
  if (!multipliers.allFinite()) throw InputError("a multiplier to start from is not finite");
  return state_at(problem, problem.starting_point(), multipliers);
}

// Neither the user's parameters nor the theory's, nor a rival's.
bool chooses_parameters(const SolveOptions& options, const AlgorithmDescription& algorithm) {
  return options.source == ParameterSource::automatic && !algorithm.baseline;
}

class SingleRun final : public Work {
 public:
  SingleRun(const Problem& problem, const SolveOptions& options, Observer& observer)
      : options_(options),
        observer_(observer),
        problem_(problem_of(problem, options)),
        algorithm_(algorithm_of(options)),
        cost_(iteration_cost(problem, algorithm_, options.batch)),
        budget_(choose_budget(problem, options, cost_), cost_, options.seconds, observer,
                problem.objective().spread_over_processes() ? Budget::Asking::together
                                                            : Budget::Asking::by_the_clock),
        oracle_(problem_.working(), standing_batch(budget_.samples()), options.seed),
        candidates_(problem_, options, budget_, oracle_, state_.judged),
        closing_(problem_, options, budget_, oracle_, candidates_),
        second_(problem_, options, chooses_parameters(options, algorithm_), budget_, candidates_,
                state_.second_order),
        loop_end_(second_.loop_budget(budget_.samples() - closing_.reserve())),
        rule_(make_rule(problem_.working(), options, algorithm_, loop_end_, cost_)),
        runner_(algorithm_, options, cost_, state_.stage),
        progress_(problem_.working(), options, budget_, oracle_, observer),
        random_time_(
            1 + Stream(options.seed, Purpose::output_time).below(to_count(budget_.samples() / cost_), 0)) {
    if (options.tolerance == unsaid && second_.shortens_loop()) candidates_.expect(sharp_tolerance);
    progress_.expect_end(loop_end_);
  }

  Result execute() {
    begin();
    if (!state_.second_loop) {
      loop();
      second_order();
    }
    if (state_.second_loop) loop();
    return conclude();
  }

 private:
  void loop() {
    carefully([&] { drive(*this, budget_); });
  }
  // A projection may give up: then the best point so far is still worth something.
  template <class Part>
  void carefully(Part&& part) {
    try {
      part();
    } catch (const NotSettled& failure) {
      state_.stage.open = false;
      note(failure.what());
    }
  }

  // Second-order steps from where the loop got to. Where they do not get there, the loop goes on from where
  // they did with what is left.
  void second_order() {
    if (!second_.planned() || !sound() || candidates_.satisfied() || budget_.stop()) return;
    save(true);  // the phase itself is not saved: a run that is broken off in it begins with it
    bool enough = false;
    carefully([&] { enough = second_.run(last_point()); });
    if (enough || second_.at_rest() || !second_.shortens_loop()) return;
    expect_less();
    const double end = budget_.samples() - closing_.reserve(), left = end - budget_.spent.samples;
    if (candidates_.satisfied() || left < cost_ || budget_.stop()) return;
    say("the second-order steps ended early (" + state_.second_order.ended + "): the loop goes on");
    if (second_.x().size()) state_.good = state_at(problem_.working(), second_.x(), second_.multipliers());
    state_.report.reset();
    state_.second_loop = SecondLoop{left, end};
    begin_second_loop();
  }
  // 1e-6 is for runs that second-order steps have ended.
  void expect_less() {
    if (options_.tolerance == unsaid) candidates_.expect(ordinary_tolerance);
  }
  void begin_second_loop() {
    loop_end_ = state_.second_loop->end;
    rule_ = make_rule(problem_.working(), options_, algorithm_, state_.second_loop->samples, cost_);
    progress_.expect_end(loop_end_);
  }

  void begin() {
    RunInfo info{budget_.samples(), std::string(algorithm_.name), rule_->name(), false};
    if (!options_.checkpoint.empty()) mark_ = fingerprint(problem_.working(), options_);
    if (options_.resume && !options_.checkpoint.empty())
      if (const auto payload = read_checkpoint(options_.checkpoint, mark_)) {
        restore(*payload);
        info.resumed = true;
      }
    if (!info.resumed) {
      state_.good = starting_state(problem_.working(), options_.start_multipliers);
      candidates_.plan_next_visit();
    }
    observer_.started(info);
  }

  bool open_stage() override {
    if (state_.stage.open) return true;  // taken up from a checkpoint
    const auto plan = rule_->next(state_.good, state_.report, loop_end_ - budget_.spent.samples);
    if (!plan) return false;
    for (const auto& event : plan->events) note(event);
    if (state_.stage.number == 0) note_dependent_rows(*plan->form);
    runner_.open(*plan, state_.good, budget_);
    if (state_.stage.number == 1 && !second_.reason().why.empty())
      state_.stage.reasons.push_back(second_.reason());
    observer_.stage(state_.stage.number, state_.stage.stage, state_.stage.reasons);
    return true;
  }

  bool stage_is_over() const override { return runner_.over(); }

  bool advance() override {
    const std::uint64_t done = budget_.spent.iterations;
    return runner_.advance(done < random_time_ ? random_time_ - done : ~std::uint64_t{0}, budget_);
  }

  bool look() override {
    if (!runner_.sound()) {
      state_.report = StageReport{.diverged = true};
      runner_.give_up();
      return false;
    }
    runner_.keep_watch();
    if (budget_.spent.iterations == random_time_) keep_random_output();
    if (!candidates_.visit_is_due()) return false;
    const bool enough = candidates_.show(here(), FoundBy::loop);
    candidates_.plan_next_visit();
    return enough && options_.output == Output::best;
  }

  void tell() override {
    if (runner_.sound()) progress_.tell(runner_, state_);
  }

  void save(bool last) override {
    const bool due = last || since_save_.seconds() >= options_.checkpoint_seconds;
    if (!due || options_.checkpoint.empty() || !options_.writes_files) return;
    Spending spent = budget_.spent;
    spent.seconds = budget_.seconds();
    spent.iterations -= runner_.loose_iterations();
    spent.samples -= static_cast<double>(runner_.loose_iterations()) * cost_;
    ArchiveWriter writer;
    writer(state_, spent);
    rule_->save(writer);
    write_checkpoint(options_.checkpoint, mark_, writer.bytes());
    since_save_.restart();
  }

  void restore(const std::string& payload) {
    ArchiveReader reader(payload, options_.checkpoint);
    reader(state_, budget_.spent);
    if (state_.second_loop) begin_second_loop();
    rule_->load(reader);
    if (!reader.at_end()) reader.refuse("it has more than a state");
    progress_.skip_to_now();
    if (state_.stage.number > 0) runner_.take_up(rule_->form_of(state_.stage.scaling));
  }

  void close_stage() override {
    state_.stage.open = false;
    if (!runner_.sound()) return;
    state_.report = runner_.report();
    state_.good = runner_.in_original_units();
    progress_.tell_face(runner_, state_.stage);
  }

  // The theory's output at t*, post-processed with a batch if wished.
  void keep_random_output() {
    state_.at_random_time = runner_.in_original_units();
    if (options_.post_process == 0) return;
    const Stage& stage = state_.stage.stage;
    const StandardForm& form = runner_.form();
    const Parameters p = stage.at(std::min(state_.stage.done, stage.iterations - 1));
    const double smooth = state_.stage.curvature + p.rho * form.metric().norm_squared() + p.mu;  // L_K
    const PostProcessed point =
        post_process(form, runner_.iterate(), p, 1 / smooth, options_.post_process, options_.seed);
    state_.at_random_time->x = form.to_original(point.x);
    state_.at_random_time->multipliers = form.multipliers_to_original(point.y);
    budget_.spent.samples += static_cast<double>(options_.post_process);
  }

  void note_dependent_rows(const StandardForm& form) {
    const auto& rows = form.dependent_rows();
    if (rows.empty()) return;
    std::string names;
    for (std::size_t k = 0; k < std::min<std::size_t>(rows.size(), 3); ++k)
      names += (k ? ", " : "") + problem_.user.rows().names[static_cast<std::size_t>(rows[k])];
    note(std::to_string(rows.size()) + (rows.size() == 1 ? " row follows" : " rows follow") +
         " from the other rows, left out of the loop: " + names + (rows.size() > 3 ? ", ..." : ""));
  }

  void note(const std::string& event) {
    say("stage " + std::to_string(state_.stage.number + 1) + ": " + event);
  }
  void say(const std::string& event) {
    state_.events.push_back(event);
    observer_.event(event);
  }

  Candidate here() const {
    return {runner_.form().to_original(runner_.iterate().x),
            runner_.form().multipliers_to_original(runner_.iterate().y)};
  }
  bool sound() const { return runner_.has_form() && runner_.sound(); }

  // Where the polish begins: where the last phase ended, or where a stage that blew up began.
  LastPoint last_point() const {
    const OriginalState now = sound() ? runner_.in_original_units() : state_.good;
    const Vector columns =
        sound() ? runner_.form().column_scale() : Vector(Vector::Ones(state_.good.x.size()));
    if (second_.x().size() && !state_.second_loop)
      return {second_.x(), second_.x(), second_.multipliers(), columns, state_.stage.curvature};
    return {now.x, now.z, now.multipliers, columns, state_.stage.curvature};
  }

  // The point to return.
  JudgedPoint choose() {
    if (options_.output == Output::random && state_.at_random_time) {
      candidates_.show({state_.at_random_time->x, state_.at_random_time->multipliers}, FoundBy::loop);
      return *state_.judged.latest;
    }
    if (options_.output != Output::best && sound()) {  // t* beyond the last iteration: that one
      candidates_.show(here(), FoundBy::loop);
      return *state_.judged.latest;
    }
    if (budget_.interrupted()) {
      if (second_.x().size() && !state_.second_loop)
        looked_at_ = candidates_.show_quickly({second_.x(), second_.multipliers()}, FoundBy::second_order);
      else if (sound())
        looked_at_ = candidates_.show_quickly(here(), FoundBy::loop);
    } else if (options_.finish) {
      carefully([&] { sound() ? closing_.polish(last_point()) : closing_.meet_rows(last_point()); });
    } else if (sound()) {  // the loop's best: its last x and z are candidates too
      const OriginalState now = runner_.in_original_units();
      candidates_.show({now.x, now.multipliers}, FoundBy::loop);
      candidates_.show({now.z, now.multipliers}, FoundBy::loop);
    }
    if (!state_.judged.best)
      candidates_.show({state_.good.x, state_.good.multipliers},
                       state_.stage.number > 1 ? FoundBy::loop : FoundBy::start);
    return candidates_.choice();
  }

  Result conclude() {
    const double loop_seconds = budget_.seconds() - candidates_.seconds();
    JudgedPoint chosen = choose();
    if (!budget_.interrupted()) candidates_.confirm(chosen);
    if (chosen.certificate.error() > candidates_.tolerance()) expect_less();
    if (looked_at_ > 0)
      say("interrupted: the last point was judged on a sample of " + std::to_string(looked_at_) + " of " +
          std::to_string(problem_.user.objective().sample_count()) + " samples");
    else if (candidates_.trivial(chosen))
      say("the point returned is no better than a model that answers the same to everything");
    return assemble(chosen, loop_seconds);
  }

  Result assemble(const JudgedPoint& chosen, double loop_seconds) {
    Result result;
    result.x = chosen.x;
    result.y = chosen.certificate.multipliers;
    result.certificate = chosen.certificate;
    result.found_by = chosen.found_by;
    Verdict verdict{.holds = chosen.certificate.holds(candidates_.tolerance()) &&
                             (chosen.certificate.exact || looked_at_ == 0),
                    .interrupted = budget_.interrupted()};
    if (!verdict.holds && !verdict.interrupted) {
      result.infeasibility = closing_.infeasibility(state_.good.multipliers);
      if (!result.infeasibility) result.unboundedness = closing_.unboundedness(chosen.x);
    }
    verdict.infeasible = result.infeasibility.has_value();
    verdict.diverged = !sound() || result.unboundedness;
    result.status = status_of(verdict);
    const StageState& last = state_.stage;
    result.algorithm = algorithm_.name;
    result.parameter_source = to_string(options_.source);
    result.parameters = last.stage.parameters;
    result.choice = {last.stage.parameters,
                     {last.stage.schedule.decay, 0, 1, last.stage.schedule.floor},
                     last.scaling.metric,
                     last.scaling.columns};
    result.reasons = last.reasons;
    result.events = state_.events;
    result.dual_resets = runner_.iterate().resets;
    result.seed = options_.seed;
    result.iterations = budget_.spent.iterations;
    result.samples = budget_.spent.samples;
    result.certificate_samples = budget_.spent.certificate_samples;
    result.solve_seconds = loop_seconds;
    result.certify_seconds = candidates_.seconds();
    result.second_order = state_.second_order;
    result.polish_gradients = oracle_.asked();
    result.tolerance = candidates_.tolerance();
    result.absolute = options_.absolute;
    result.variable_names = problem_.user.variable_names();
    result.row_names = problem_.user.rows().names;
    return result;
  }

  const SolveOptions& options_;
  Observer& observer_;
  RunState state_;
  RunProblem problem_;
  const AlgorithmDescription& algorithm_;
  double cost_;  // sample gradients per iteration
  Budget budget_;
  Oracle oracle_;
  Candidates candidates_;
  Closing closing_;
  SecondOrder second_;
  double loop_end_;  // samples spent when the loop ends: the closing needs some, and the second-order phase
  std::unique_ptr<Rule> rule_;
  StageRunner runner_;
  ProgressRows progress_;
  std::uint64_t random_time_;  // the theory's t*
  std::uint64_t mark_ = 0;     // of the checkpoint: which run it belongs to
  Stopwatch since_save_;
  Index looked_at_ = 0;  // samples that an interrupted run was judged on; 0: all
};

}  // namespace

Result single_run(const Problem& problem, const SolveOptions& options, Observer& observer) {
  return SingleRun(problem, options, observer).execute();
}

}  // namespace bridle
