#include "bridle/run/single_run.hpp"

#include "bridle/diagnose/gradient_check.hpp"
#include "bridle/run/loop.hpp"
#include "bridle/run/random_output.hpp"

namespace bridle {
namespace {

// Second-order steps from where the loop got to. Where they do not get there, the loop goes on from where
// they did with what is left.
void take_second_order_steps(RunParts& run, Loop& loop) {
  SecondOrder& second = run.second;
  const bool ready = second.planned() && (run.sound() || second.replaces_loop());
  run.budget.set_aside(std::min(run.closing.seconds_of_the_verdict(), run.closing.seconds_needed()));
  if (!ready || run.budget.stop() || (run.candidates.satisfied() && !second.may_be_a_saddle())) return;
  if (second.replaces_loop()) run.say(second.reason().why);
  loop.save(true);  // the phase itself is not saved: a run that is broken off in it begins with it
  bool enough = false;
  run.carefully([&] { enough = second.run(run.last_point()); });
  if (enough || second.at_rest() || !second.shortens_loop()) return;
  run.expect_less();
  const double left = loop.samples_left_of(run.budget.samples() - run.closing.reserve());
  const double end = run.budget.spent.samples + left;
  if (run.candidates.satisfied() || left < run.cost || run.budget.stop()) return;
  run.say("the second-order steps ended early (" + run.state.second_order.ended + "): the loop goes on");
  if (second.x().size()) run.state.good = state_at(run.problem.working(), second.x(), second.multipliers());
  run.state.report.reset();
  run.state.second_loop = true;
  loop.begin_again({run.budget.spent.samples, end});
}

// Whatever comes after the loop, its last x and z are candidates: the judge sees both, and of a run whose
// time is over the first.
void show_end_of_loop(RunParts& run) {
  if (!run.sound() || run.options.output != Output::best || run.judged_quickly()) return;
  const OriginalState end = run.runner.in_original_units();
  const auto seen = [&](const Vector& x) {
    const auto& latest = run.state.judged.latest;
    return latest && latest->x == run.problem.to_user(x);
  };
  if (seen(end.z)) return;
  if (!seen(end.x)) run.candidates.show({end.x, end.multipliers}, FoundBy::loop_x);
  run.budget.set_aside(run.candidates.seconds_of_the_last_word());
  if (!seen(end.z) && !run.budget.stop()) run.candidates.show({end.z, end.multipliers}, FoundBy::loop_z);
  run.budget.set_aside(run.closing.seconds_needed());
}

// The point to return. `looked_at`: samples that an interrupted run was judged on; 0: all.
JudgedPoint choose(RunParts& run, Index& looked_at) {
  if (run.closing.refused()) return run.candidates.choice();
  if (run.options.output == Output::random && (run.state.random_output || run.sound()))
    return judge_random_output(run);
  if (run.options.output == Output::last && run.sound()) {
    run.candidates.show(run.here(), FoundBy::loop_x);
    return *run.state.judged.latest;
  }
  if (run.judged_quickly()) {
    if (run.second_order_was_last())
      looked_at =
          run.candidates.show_quickly({{{run.second.x(), run.second.multipliers()}, FoundBy::second_order}},
                                      run.closing.seconds_of_a_quick_verdict());
    else if (run.sound()) {
      const OriginalState end = run.runner.in_original_units();
      looked_at = run.candidates.show_quickly(
          {{{end.x, end.multipliers}, FoundBy::loop_x}, {{end.z, end.multipliers}, FoundBy::loop_z}},
          run.closing.seconds_of_a_quick_verdict());
    }
  } else if (run.options.finish) {
    run.carefully([&] {
      run.sound() ? run.closing.polish(run.last_point()) : run.closing.meet_rows(run.last_point());
    });
  }
  if (!run.state.judged.best)
    run.candidates.show({run.state.good.x, run.state.good.multipliers},
                        run.state.stage.number > 1 ? FoundBy::loop_x : FoundBy::start);
  return run.candidates.choice();
}

Result assemble(RunParts& run, const JudgedPoint& chosen, Index looked_at) {
  const auto turn = run.budget.turn(Phase::judge);  // proofs are his too
  Result result;
  result.x = chosen.x;
  result.y = chosen.certificate.multipliers;
  result.certificate = chosen.certificate;
  result.found_by = chosen.found_by;
  Verdict verdict{.holds = chosen.certificate.holds(run.candidates.tolerance()) &&
                           (chosen.certificate.exact || looked_at == 0) &&
                           !run.closing.overrules(chosen.certificate),
                  .interrupted = run.budget.interrupted()};
  // A convex f that falls without end has no stationary point, whatever rounding says far out.
  if (verdict.holds && chosen.certificate.convex && run.closing.far_out(chosen.x)) {
    result.unboundedness = run.closing.unboundedness(chosen.x);
    verdict.holds = !result.unboundedness;
  } else if (verdict.holds && run.second.fell_away()) {  // a saddle, and no way down that ends
    result.unboundedness = run.closing.unboundedness(run.second.x());
    verdict.holds = !result.unboundedness;
  } else if (!verdict.holds && !verdict.interrupted) {
    result.infeasibility = run.closing.infeasibility(run.state.good.multipliers);
    if (!result.infeasibility && run.closing.has_time_for_a_pass())
      result.unboundedness = run.closing.unboundedness(chosen.x);
  }
  verdict.infeasible = result.infeasibility.has_value();
  const bool blew_up = !run.sound() && !run.second.replaces_loop();
  verdict.diverged = blew_up || result.unboundedness;
  result.status = status_of(verdict);
  const StageState& last = run.state.stage;
  result.algorithm = run.algorithm.name;
  result.parameter_source = to_string(run.options.source);
  result.parameters = last.stage.parameters;
  result.choice = {
      last.stage.parameters,
      {last.stage.schedule.decay, 0, 1, last.stage.schedule.floor, last.stage.schedule.penalty_growth},
      last.scaling.metric,
      last.scaling.columns};
  result.reasons = last.reasons;
  result.events = run.state.events;
  result.dual_resets = run.runner.iterate().resets;
  result.seed = run.options.seed;
  result.iterations = run.budget.spent.iterations;
  result.samples = run.budget.spent.samples;
  result.certificate_samples = run.budget.spent.certificate_samples;
  result.account(run.budget.spent_until_now().phases);
  result.second_order = run.state.second_order;
  if (!run.second.rested_at(chosen)) result.second_order.least_curvature.reset();
  result.theory_output = run.theory_output;
  result.tolerance = run.candidates.tolerance();
  result.absolute = run.options.absolute;
  result.variable_names = run.problem.user.variable_names();
  result.row_names = run.problem.user.row_names();
  return result;
}

// A run that blew up, or got nowhere, may have been told wrong gradients: of an objective of the user's own
// that is soon found out.
void check_own_gradient(RunParts& run, const JudgedPoint& chosen) {
  const AnyObjective& objective = run.problem.user.objective();
  const bool own = !objective.as_linear_model() && !objective.as_quadratic();
  if (!own && !run.problem.user.has_smooth_rows()) return;
  if (!run.state.events.empty() && run.state.events.back().starts_with(not_finite)) return;
  if (objective.spread_over_processes() || run.budget.interrupted()) return;
  if (chosen.certificate.holds(run.candidates.tolerance()) || (run.sound() && run.budget.seconds_left() <= 0))
    return;
  for (const Vector& x : {run.problem.user.starting_point(), chosen.x}) {
    if (!x.allFinite()) continue;
    const GradientCheck check = check_gradient(run.problem.user, x);
    if (check.good()) continue;
    run.say("check the objective: " + check.text());
    return;
  }
  if (!run.sound() && !run.second.replaces_loop())
    run.say("the gradient was checked, and agrees with differences at the start");
}

Result conclude(RunParts& run, Loop& loop) {
  const auto turn = run.budget.turn(Phase::polish);
  Index looked_at = 0;
  std::optional<JudgedPoint> found;
  run.carefully([&] { found = choose(run, looked_at); });
  JudgedPoint chosen = found ? std::move(*found) : run.candidates.choice();
  if (!run.judged_quickly()) run.candidates.confirm(chosen);
  const bool ran = !run.closing.overrules(chosen.certificate);  // else there is nothing to say of how it went
  if (ran && chosen.certificate.error() > run.candidates.tolerance()) run.expect_less();
  if (run.options.tolerance == unsaid && run.second.shortens_loop() &&
      chosen.certificate.error() <= sharp_tolerance)
    run.candidates.expect(sharp_tolerance);
  if (looked_at > 0)
    run.say((run.budget.interrupted() ? "interrupted" : "short of time") +
            std::string(": the last point was judged on a sample of ") + std::to_string(looked_at) + " of " +
            std::to_string(run.problem.user.objective().sample_count()) + " samples");
  else if (!chosen.certificate.exact && chosen.certificate.gradients < CertifyOptions().batch)
    run.say("short of time: the point was judged on " + std::to_string(chosen.certificate.gradients) +
            " fresh samples");
  else if (ran && run.candidates.trivial(chosen))
    run.say("the point returned is no better than a model that answers the same to everything");
  if (ran) check_own_gradient(run, chosen);
  loop.tell_result(chosen);
  loop.leave(run.problem.from_user(chosen.x), chosen.certificate.multipliers, chosen.found_by);
  return assemble(run, chosen, looked_at);
}

// A run that was saved when the judge was content has nothing left to do.
bool is_over(const RunParts& run) { return run.options.output == Output::best && run.candidates.satisfied(); }

void drive_on(RunParts& run, Loop& loop) {
  {
    const auto turn = run.budget.turn(Phase::loop);
    run.carefully([&] { drive(loop, run.budget); });
  }
  show_end_of_loop(run);
  loop.save(true);
}

}  // namespace

Result single_run(const Problem& problem, const SolveOptions& options, Observer& observer,
                  Continuation& continuation) {
  RunParts run(problem, options, observer, continuation.seconds_spent);
  Loop loop(run, continuation);
  loop.begin();
  if (loop.start_is_flawed()) return conclude(run, loop);
  if (run.closing.refuses(run.state.good.x)) return conclude(run, loop);
  if (options.judge_start && continuation.before.empty())
    run.candidates.show({run.state.good.x, run.state.good.multipliers}, FoundBy::start);
  if (const auto& end = loop.goes_on_from()) run.candidates.show({end->x, end->multipliers}, end->found_by);
  if (!run.state.second_loop) {
    if (!run.second.replaces_loop() && !is_over(run)) drive_on(run, loop);
    take_second_order_steps(run, loop);
  }
  if (run.state.second_loop && !is_over(run)) drive_on(run, loop);
  return conclude(run, loop);
}

}  // namespace bridle
