#include "bench/speed/whole_run.hpp"

#include <fmt/format.h>

#include "bridle/run/solve.hpp"

#include "bench/speed/problems.hpp"
#include "bench/speed/step_cost.hpp"
#include "bench/speed/timing.hpp"

namespace bridle::bench {
namespace {

struct Run {
  double seconds, of_the_judge;
};

SolveOptions loop_alone(double epochs, Index batch) {
  SolveOptions options;
  options.batch = batch;
  options.epochs = epochs;
  options.tolerance = 0;  // to the end of the budget
  options.finish = options.second_order = false;
  options.clock = processor_seconds;  // the judge's share is told in it too
  return options;
}

Run run(const Problem& problem, double epochs, Index batch) {
  Run out{};
  out.seconds =
      seconds_of([&] { out.of_the_judge = solve(problem, loop_alone(epochs, batch)).certify_seconds; });
  return out;
}

struct StepOfRun {
  double nanoseconds, without_judge;
  double judge;  // his share of the longer run, in seconds
};

// A step: 40 epochs more. The least of each, taken in turns: a difference of two single runs is mostly what
// other programs did meanwhile. Both runs are long enough to end where the rows hold, so that the judge's
// verdict, one for a run, is as dear in both.
StepOfRun step_of_run(const Problem& problem, Index batch, int rounds) {
  const auto samples = static_cast<double>(problem.objective().sample_count());
  std::vector<double> many, few, many_alone, few_alone, judge;
  for (int round = 0; round < rounds; ++round) {
    const Run longer = run(problem, 84, batch), shorter = run(problem, 44, batch);
    many.push_back(longer.seconds);
    few.push_back(shorter.seconds);
    many_alone.push_back(longer.seconds - longer.of_the_judge);
    few_alone.push_back(shorter.seconds - shorter.of_the_judge);
    judge.push_back(longer.of_the_judge);
  }
  const double steps = 40 * samples;
  return {1e9 * (least(many) - least(few)) / steps, 1e9 * (least(many_alone) - least(few_alone)) / steps,
          least(judge)};
}

}  // namespace

void real_cost(const Size& size, Kind kind, int rounds, Index batch) {
  const Problem problem = real_problem(size, kind);
  const BareStep bare = bare_step_cost(problem, batch, 3 * rounds);
  const StepOfRun whole = step_of_run(problem, batch, rounds);
  fmt::print("{:.1f} {:.1f} {:.2f} {} {}\n", bare.nanoseconds, whole.without_judge, whole.judge, bare.iterate,
             bare.batch);
}

void batch_errors() {
  fmt::print("| problem | samples a step | epochs | processor s | error | f - f* |\n");
  fmt::print("| --- | --- | --- | --- | --- | --- |\n");
  for (const auto& [name, kind] :
       {std::pair{"one row", Kind::ridge}, std::pair{"200 monotone pairs", Kind::monotone},
        std::pair{"1,000 rows of 5 entries", Kind::rows}}) {
    const Problem problem = real_problem({Storage::sparse, 50'000, 10'000, 20, 1}, kind);
    const double best = solve(problem, SolveOptions{}).certificate.objective;
    const auto print = [&](Index batch, double epochs) {
      const SolveOptions options = loop_alone(epochs, batch);
      Result result;
      const double seconds = seconds_of([&] { result = solve(problem, options); });
      fmt::print("| {} | {:.0f} | {:.3g} | {:.2f} | {:.1e} | {:.1e} |\n", name,
                 result.samples / static_cast<double>(result.iterations), epochs, seconds,
                 result.certificate.error(), result.certificate.objective - best);
      std::fflush(stdout);
      return seconds;
    };
    for (const double epochs : {3.0, 30.0}) {
      const double alone = print(1, epochs), together = print(0, epochs);
      if (epochs == 30) print(1, epochs * together / alone);  // as long
    }
  }
}

void whole_run_cost(int rounds) {
  fmt::print(
      "| n | nonzeros | samples | bare step, ns | step of a whole run, ns | ratio | the judge, once, s |\n");
  fmt::print("| --- | --- | --- | --- | --- | --- | --- |\n");
  for (const Index n : {10'000, 100'000, 1'000'000}) {
    const Size size{Storage::sparse, 50'000, n, 50, 1};
    const LinearModel model = made_up_model(size);
    const Problem problem = made_up_problem(model, size.rows);
    const StepOfRun whole = step_of_run(problem, 1, rounds);
    const double bare = bare_step_cost(problem, 1, 3 * rounds).nanoseconds;
    fmt::print("| {} | {} | {} | {:.0f} | {:.0f} | {:.2f} | {:.3f} |\n", n, size.nonzeros, size.samples, bare,
               whole.nanoseconds, whole.nanoseconds / bare, whole.judge);
    std::fflush(stdout);
  }
}

}  // namespace bridle::bench
