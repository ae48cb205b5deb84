#include "bridle/run/loop.hpp"

#include <algorithm>
#include <utility>

#include "bridle/core/archive.hpp"
#include "bridle/core/atomic_file.hpp"
#include "bridle/core/count.hpp"
#include "bridle/core/error.hpp"
#include "bridle/diagnose/gradient_check.hpp"
#include "bridle/run/checkpoint.hpp"
#include "bridle/run/random_output.hpp"

namespace bridle {
namespace {

constexpr double nothing_left = 1e-3;  // of the iterations of a stage
constexpr double patience = 0.1;       // of the time of all, with a stage that takes longer than it should
constexpr std::uint64_t first_chunk = 400;  // of the stage, before the speed is known
constexpr Index few_looked_at = 16;         // before the loop
constexpr double fewest_looked_at = 100, numbers_looked_at = 1e7;

OriginalState starting_state(const Problem& problem, const Vector& multipliers) {
  if (multipliers.size() && multipliers.size() != problem.row_count())
    throw InputError(std::to_string(multipliers.size()) + " multipliers to start from, but " +
                     std::to_string(problem.row_count()) + " rows");
  if (!multipliers.allFinite()) throw InputError("a multiplier to start from is not finite");
  return state_at(problem, problem.starting_point(), multipliers);
}

}  // namespace

OriginalState state_at(const Problem& problem, const Vector& x, const Vector& multipliers) {
  const Rows& rows = problem.rows();
  OriginalState out;
  out.x = out.z = x;
  out.multipliers = multipliers.size() ? multipliers : Vector(Vector::Zero(problem.row_count()));
  out.slacks = (rows.matrix * x).cwiseMax(rows.lower).cwiseMin(rows.upper);
  out.smoothed_slacks = out.slacks;
  return out;
}

Loop::Loop(RunParts& run, Continuation& continuation)
    : run_(run),
      continuation_(continuation),
      plan_{run.options.samples, run.options.epochs, run.options.seconds, run.options.tolerance,
            continuation.round},
      end_(run.second.loop_budget(run.budget.samples() - run.closing.reserve())),
      clocked_(follows_the_clock(run.options) && !run.second.shortens_loop()),
      rule_(make_rule(run.problem.working(), run.options, run.algorithm, end_, run.cost)),
      progress_(run.problem, run.options, run.budget, run.observer) {
  progress_.expect_end(end_);
  run_.state.plan = plan_;
  run_.candidates.tell([this](const JudgedPoint& point) {
    const Phase phase = phase_of(point.found_by);
    if (phase != Phase::loop) progress_.tell(point, std::string(to_string(phase)), run_.state.stage);
  });
}

// A loop that is not the first of a fresh run.
void Loop::plan_loop(const LoopSpan& span) {
  run_.state.loop = span;
  end_ = span.end;
  clocked_ = follows_the_clock(run_.options) && (run_.state.second_loop || !run_.second.shortens_loop());
  rule_ = make_rule(run_.problem.working(), run_.options, run_.algorithm, std::max(run_.cost, span.samples()),
                    run_.cost);
  progress_.expect_end(end_);
  progress_.expect_begin(span.begin);
}

void Loop::begin_again(const LoopSpan& span) {
  run_.budget.forget_pace();
  plan_loop(span);
}

void Loop::begin() {
  // A place that cannot be written is refused now; one that fills up later is warned of.
  if (!run_.options.checkpoint.empty() && run_.options.writes_files)
    const AtomicFile probe(run_.options.checkpoint);
  if (continuation_.before.empty()) {
    run_.state.good = starting_state(run_.problem.working(), run_.options.start_multipliers);
    run_.state.loop = {0, end_};
    progress_.expect_begin(0);
    run_.candidates.plan_next_visit();
  } else {
    restore();
  }
  run_.budget.set_aside(run_.closing.seconds_needed());
  run_.observer.started({.budget = run_.budget.samples(),
                         .seconds = follows_the_clock(run_.options) ? run_.options.seconds : 0,
                         .algorithm = std::string(run_.algorithm.name),
                         .regime = rule_->name(),
                         .resumed = continuation_.resumed,
                         .round = continuation_.round});
}

// By the plan, or where time is the budget by the clock, as soon as it has anything to say.
double Loop::samples_left() const {
  if (clocked_)
    if (const auto left = run_.budget.samples_left_by_the_clock()) return *left;
  return end_ - run_.budget.spent.samples;
}

void Loop::time_stage() {
  const StageState& stage = run_.state.stage;
  const double left = samples_left(),
               of_stage = run_.cost * static_cast<double>(stage.stage.iterations - stage.done);
  timed_ = {run_.budget.seconds(), left > 0 ? std::min(1.0, of_stage / left) : 1.0, stage.done};
}

// The stage has its share of the iterations that the time bears at the speed that the loop has had lately,
// and what is left of its schedule is spread over the rest of them: no step size is passed over while the
// judge looks.
void Loop::follow_clock() {
  if (!clocked_) return;
  run_.budget.set_aside(run_.closing.seconds_needed());
  const auto left = run_.budget.samples_left_by_the_clock();
  if (!left) return;
  const double now = run_.budget.seconds(), seconds_left = std::max(0.0, run_.budget.seconds_left());
  const StageState& stage = run_.state.stage;
  const auto done = static_cast<double>(stage.done - timed_.done);
  const double whole = timed_.share * (done + *left / run_.cost), rest = whole - done;
  const Schedule& schedule = stage.stage.schedule;
  // A stage of equal steps looks around: it needs its iterations more than the time they were thought to
  // take.
  const bool keeps_its_length = schedule.decay == Decay::constant &&
                                now - timed_.began < patience * (now + seconds_left - timed_.began);
  if (rest <= nothing_left * whole && !keeps_its_length)
    run_.runner.replan(0, schedule.end);
  else if (!keeps_its_length)
    run_.runner.replan(std::max(1.0, rest), schedule.progress(stage.done, stage.stage.iterations));
  end_ = run_.budget.spent.samples + *left;
  rule_->expect(end_);
  progress_.expect_end(end_);
  run_.runner.limit_chunks(progress_.row_length(run_.cost));
  // What is done once says nothing of the time to come, nor does the speed before it.
  if (run_.runner.expect_rest()) run_.budget.forget_pace();
}

bool Loop::open_stage() {
  if (run_.state.stage.open) {  // taken up from a checkpoint
    time_stage();
    return true;
  }
  // Of a slow stream its probes would be all that there is time for.
  if (run_.state.stage.number > 0 && run_.candidates.samples_only() &&
      run_.budget.seconds_left() < 2 * opening_)
    return false;
  const auto turn = run_.budget.turn(Phase::start);  // scaling and probes
  const double began = run_.budget.seconds();
  const auto plan = rule_->next(run_.state.good, run_.state.report, samples_left());
  if (!plan) return false;
  for (const auto& event : plan->events) run_.note(event);
  if (run_.state.stage.number == 0) note_dependent_rows(*plan->form);
  run_.runner.open(*plan, rule_->start(run_.state.good), run_.budget);
  run_.runner.limit_chunks(progress_.row_length(run_.cost));
  run_.closing.loop_begins();
  run_.budget.set_aside(run_.closing.seconds_needed());
  opening_ = run_.budget.seconds() - began;
  time_stage();
  if (run_.state.stage.number == 1 && !run_.runner.warning().empty()) run_.note(run_.runner.warning());
  if (run_.state.stage.number == 1 && !run_.second.reason().why.empty())
    run_.state.stage.reasons.push_back(run_.second.reason());
  if (!plan->continues)
    run_.observer.stage(run_.state.stage.number, run_.state.stage.stage, run_.state.stage.reasons);
  progress_.expect_pace();
  return true;
}

bool Loop::advance() {
  const std::uint64_t done = run_.budget.spent.iterations;
  const std::uint64_t output_time = random_time(run_);
  std::uint64_t most = done < output_time ? output_time - done : ~std::uint64_t{0};
  // The first guess at the speed may be far off.
  if (clocked_ && !run_.budget.samples_left_by_the_clock())
    most = std::min(most, std::max<std::uint64_t>(1, run_.state.stage.stage.iterations / first_chunk));
  const bool all = run_.runner.advance(most, run_.budget);
  if (all) follow_clock();
  return all;
}

bool Loop::look() {
  if (!run_.runner.sound()) {
    if (const auto flaw = find_not_finite(run_.problem.working(), run_.state.good.x, most_looked_at())) {
      run_.say(std::string(not_finite) + ": " + *flaw);  // smaller steps do not heal that
      run_.state.stage.open = false;
      return true;
    }
    run_.state.report = StageReport{.diverged = true};
    run_.runner.give_up();
    return false;
  }
  run_.runner.keep_watch();
  if (run_.options.output == Output::random && run_.budget.spent.iterations == random_time(run_))
    keep_random_output(run_);
  if (run_.problem.quick_judge) return false;  // he comes in the end
  if (!run_.candidates.visit_is_due() && !run_.closing.wants_to_time_the_judge()) return false;
  if (run_.candidates.seconds_of_a_visit() > run_.budget.seconds_left()) return false;  // likewise
  const bool enough = run_.candidates.show(run_.here(), FoundBy::loop_x);
  run_.candidates.plan_next_visit();
  return enough && run_.options.output == Output::best;
}

bool Loop::start_is_flawed() {
  const auto flaw = find_not_finite(run_.problem.working(), run_.state.good.x, few_looked_at);
  if (flaw) run_.say(std::string(not_finite) + ": " + *flaw);
  return flaw.has_value();
}

// Samples whose gradients are looked at for numbers that are none.
Index Loop::most_looked_at() const {
  const auto n = static_cast<double>(std::max<Index>(1, run_.problem.user.dimension()));
  return static_cast<Index>(std::max(fewest_looked_at, numbers_looked_at / n));
}

void Loop::tell() {
  if (!run_.runner.sound()) return;
  const bool steps_follow = run_.second.planned() && !run_.state.second_loop;
  progress_.expect_after(run_.closing.seconds_expected() + (steps_follow ? run_.second.reason().value : 0));
  progress_.expect_all_the_time(clocked_);
  progress_.tell(run_.runner, run_.state);
}

void Loop::save(bool last) {
  const bool wanted = !run_.options.checkpoint.empty() && run_.options.writes_files;
  if (!last && !(wanted && since_save_.seconds() >= run_.options.checkpoint_seconds)) return;
  if (!wanted && !continuation_.keep) return;
  keep_state();
  if (wanted) write_state(continuation_.after);
}

void Loop::keep_state() {
  Spending spent = run_.budget.spent_until_now();
  run_.runner.take_off_loose(spent);
  ArchiveWriter writer;
  writer(run_.state, spent);
  rule_->save(writer);
  state_ = writer.bytes();
  ArchiveWriter nothing;
  nothing(std::optional<EndPoint>());
  continuation_.after = state_ + nothing.bytes();
}

void Loop::write_state(const std::string& payload) {
  try {
    write_checkpoint(run_.options.checkpoint, continuation_.fingerprint, payload);
    warned_ = false;
  } catch (const InputError& error) {  // a run that may be hours old is not lost to a full disk
    if (!warned_) run_.observer.warning(error.what() + std::string("; the run goes on without"));
    warned_ = true;
  }
  since_save_.restart();
}

void Loop::leave(Vector x, Vector multipliers, FoundBy found_by) {
  if (state_.empty()) return;
  ArchiveWriter writer;
  writer(std::optional<EndPoint>(
      {std::move(x), std::move(multipliers), found_by, run_.budget.spent_until_now()}));
  continuation_.after = state_ + writer.bytes();
  if (!run_.options.checkpoint.empty() && run_.options.writes_files) write_state(continuation_.after);
}

void Loop::restore() {
  ArchiveReader reader(continuation_.before, run_.options.checkpoint);
  const double tolerance = run_.candidates.tolerance();
  reader(run_.state, run_.budget.spent);
  const bool same_samples = std::exchange(run_.state.samples, run_.outlook.samples) == run_.outlook.samples;
  if (run_.state.loop.begin > 0) plan_loop(run_.state.loop);
  rule_->load(reader);
  std::optional<EndPoint> end;
  reader(end);
  if (!reader.at_end()) reader.refuse("it has more than a state");
  if (!fits(run_.state, end, run_.problem.working(), run_.problem.user))
    reader.refuse("its points have another number of entries than the problem");
  if (run_.state.stage.number > 0) run_.runner.take_up(rule_->form_of(run_.state.stage.scaling));
  run_.runner.limit_chunks(progress_.row_length(run_.cost));
  if (run_.state.plan != plan_ || !same_samples) {
    run_.candidates.expect(tolerance);
    if (!same_samples) end = best_seen(end ? end->spent : run_.budget.spent);
    go_on(end);
  }
  progress_.skip_to_now();
}

// Other samples may be centred elsewhere: what was found carries over as the judge has seen it, in the user's
// variables.
EndPoint Loop::best_seen(const Spending& spent) const {
  const auto& best = run_.state.judged.best;
  const Problem& problem = run_.problem.working();
  if (!best) return {problem.starting_point(), Vector::Zero(problem.row_count()), FoundBy::start, spent};
  return {run_.problem.from_user(best->x), best->certificate.multipliers, best->found_by, spent};
}

// Of a budget of so many. Where time is the budget, samples are a guess: the loop finds out by itself how
// many it may take.
double Loop::samples_left_of(double whole) const {
  if (follows_the_clock(run_.options))
    return whole * std::max(0.0, run_.budget.seconds_left() / run_.options.seconds);
  return std::max(0.0, whole - run_.budget.spent.samples);
}

// The same problem with another budget: new stages from the point that was found, with what is left.
void Loop::go_on(const std::optional<EndPoint>& end) {
  if (run_.options.output != Output::best)
    throw InputError(run_.options.checkpoint, 0,
                     "a run with another budget goes on with the best iterate only, not with the last or a "
                     "random one");
  goes_on_from_ = end;
  if (end) {
    run_.state.good = state_at(run_.problem.working(), end->x, end->multipliers);
    run_.budget.spent = end->spent;
  } else if (run_.sound()) {
    run_.state.good = run_.runner.in_original_units();
  }
  run_.state.stage.open = false;
  run_.state.report.reset();
  run_.state.second_loop = false;
  run_.state.second_order = {};
  run_.state.plan = plan_;
  const double spent = run_.budget.spent.samples;
  const double left = samples_left_of(run_.budget.samples() - run_.closing.reserve());
  plan_loop({spent, spent + run_.second.loop_budget(left)});
  run_.candidates.plan_next_visit();
}

void Loop::close_stage() {
  run_.state.stage.open = false;
  if (!run_.runner.sound()) return;
  run_.state.report = run_.runner.report();
  run_.state.good = run_.runner.in_original_units();
  progress_.tell_face(run_.runner, run_.state.stage);
}

void Loop::note_dependent_rows(const StandardForm& form) {
  const auto& rows = form.dependent_rows();
  if (rows.empty()) return;
  std::string names;
  for (std::size_t k = 0; k < std::min<std::size_t>(rows.size(), 3); ++k)
    names += (k ? ", " : "") + run_.problem.user.row_names()[static_cast<std::size_t>(rows[k])];
  run_.note(std::to_string(rows.size()) + (rows.size() == 1 ? " row follows" : " rows follow") +
            " from the other rows, left out of the loop: " + names + (rows.size() > 3 ? ", ..." : ""));
}

}  // namespace bridle
