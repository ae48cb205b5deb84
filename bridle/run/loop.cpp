#include "bridle/run/loop.hpp"

#include "bridle/algorithms/post_processing.hpp"
#include "bridle/core/archive.hpp"
#include "bridle/core/count.hpp"
#include "bridle/core/error.hpp"
#include "bridle/run/checkpoint.hpp"

namespace bridle {
namespace {

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

Loop::Loop(RunParts& run)
    : run_(run),
      end_(run.second.loop_budget(run.budget.samples() - run.closing.reserve())),
      rule_(make_rule(run.problem.working(), run.options, run.algorithm, end_, run.cost)),
      progress_(run.problem.working(), run.options, run.budget, run.oracle, run.observer),
      random_time_(1 + Stream(run.options.seed, Purpose::output_time)
                           .below(to_count(run.budget.samples() / run.cost), 0)) {
  progress_.expect_end(end_);
}

void Loop::begin_again() {
  end_ = run_.state.second_loop->end;
  rule_ = make_rule(run_.problem.working(), run_.options, run_.algorithm, run_.state.second_loop->samples,
                    run_.cost);
  progress_.expect_end(end_);
}

void Loop::begin() {
  RunInfo info{run_.budget.samples(), std::string(run_.algorithm.name), rule_->name(), false};
  if (!run_.options.checkpoint.empty()) fingerprint_ = fingerprint(run_.problem.working(), run_.options);
  if (run_.options.resume && !run_.options.checkpoint.empty())
    if (const auto payload = read_checkpoint(run_.options.checkpoint, fingerprint_)) {
      restore(*payload);
      info.resumed = true;
    }
  if (!info.resumed) {
    run_.state.good = starting_state(run_.problem.working(), run_.options.start_multipliers);
    run_.candidates.plan_next_visit();
  }
  run_.observer.started(info);
}

bool Loop::open_stage() {
  if (run_.state.stage.open) return true;  // taken up from a checkpoint
  const auto plan = rule_->next(run_.state.good, run_.state.report, end_ - run_.budget.spent.samples);
  if (!plan) return false;
  for (const auto& event : plan->events) run_.note(event);
  if (run_.state.stage.number == 0) note_dependent_rows(*plan->form);
  run_.runner.open(*plan, rule_->start(run_.state.good), run_.budget);
  if (run_.state.stage.number == 1 && !run_.runner.warning().empty()) run_.note(run_.runner.warning());
  if (run_.state.stage.number == 1 && !run_.second.reason().why.empty())
    run_.state.stage.reasons.push_back(run_.second.reason());
  if (!plan->continues)
    run_.observer.stage(run_.state.stage.number, run_.state.stage.stage, run_.state.stage.reasons);
  return true;
}

bool Loop::advance() {
  const std::uint64_t done = run_.budget.spent.iterations;
  return run_.runner.advance(done < random_time_ ? random_time_ - done : ~std::uint64_t{0}, run_.budget);
}

bool Loop::look() {
  if (!run_.runner.sound()) {
    run_.state.report = StageReport{.diverged = true};
    run_.runner.give_up();
    return false;
  }
  run_.runner.keep_watch();
  if (run_.budget.spent.iterations == random_time_) keep_random_output();
  if (!run_.candidates.visit_is_due()) return false;
  const bool enough = run_.candidates.show(run_.here(), FoundBy::loop);
  run_.candidates.plan_next_visit();
  return enough && run_.options.output == Output::best;
}

void Loop::tell() {
  if (run_.runner.sound()) progress_.tell(run_.runner, run_.state);
}

void Loop::save(bool last) {
  const bool due = last || since_save_.seconds() >= run_.options.checkpoint_seconds;
  if (!due || run_.options.checkpoint.empty() || !run_.options.writes_files) return;
  Spending spent = run_.budget.spent;
  spent.seconds = run_.budget.seconds();
  spent.iterations -= run_.runner.loose_iterations();
  spent.samples -= static_cast<double>(run_.runner.loose_iterations()) * run_.cost;
  ArchiveWriter writer;
  writer(run_.state, spent);
  rule_->save(writer);
  try {
    write_checkpoint(run_.options.checkpoint, fingerprint_, writer.bytes());
    warned_ = false;
  } catch (const InputError& error) {  // a run that may be hours old is not lost to a full disk
    if (!warned_) run_.observer.warning(error.what() + std::string("; the run goes on without"));
    warned_ = true;
  }
  since_save_.restart();
}

void Loop::restore(const std::string& payload) {
  ArchiveReader reader(payload, run_.options.checkpoint);
  reader(run_.state, run_.budget.spent);
  if (run_.state.second_loop) begin_again();
  rule_->load(reader);
  if (!reader.at_end()) reader.refuse("it has more than a state");
  progress_.skip_to_now();
  if (run_.state.stage.number > 0) run_.runner.take_up(rule_->form_of(run_.state.stage.scaling));
}

void Loop::close_stage() {
  run_.state.stage.open = false;
  if (!run_.runner.sound()) return;
  run_.state.report = run_.runner.report();
  run_.state.good = run_.runner.in_original_units();
  progress_.tell_face(run_.runner, run_.state.stage);
}

// The theory's output at t*, post-processed with a batch if wished.
void Loop::keep_random_output() {
  run_.state.at_random_time = run_.runner.in_original_units();
  if (run_.options.post_process == 0) return;
  const Stage& stage = run_.state.stage.stage;
  const StandardForm& form = run_.runner.form();
  const Parameters p = stage.at(std::min(run_.state.stage.done, stage.iterations - 1));
  const double smooth = run_.state.stage.curvature + p.rho * form.metric().norm_squared() + p.mu;  // L_K
  const PostProcessed point =
      post_process(form, run_.runner.iterate(), p, 1 / smooth, run_.options.post_process, run_.options.seed);
  run_.state.at_random_time->x = form.to_original(point.x);
  run_.state.at_random_time->multipliers = form.multipliers_to_original(point.y);
  run_.budget.spent.samples += static_cast<double>(run_.options.post_process);
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
