#include "bench/speed/whole_run.hpp"

#include <fmt/format.h>

#include "bridle/run/solve.hpp"

#include "bench/speed/problems.hpp"
#include "bench/speed/step_cost.hpp"
#include "bench/speed/timing.hpp"

namespace bridle::bench {
namespace {

double seconds_of_run(const Problem& problem, double epochs) {
  SolveOptions options;
  options.epochs = epochs;
  options.tolerance = 0;  // to the end of the budget
  options.finish = false;
  return seconds_of([&] { solve(problem, options); });
}

}  // namespace

void whole_run_cost(int rounds) {
  fmt::print("| n | nonzeros | samples | bare step, ns | step of a whole run, ns | ratio |\n");
  fmt::print("| --- | --- | --- | --- | --- | --- |\n");
  for (const Index n : {10'000, 100'000, 1'000'000}) {
    const Size size{Storage::sparse, 50'000, n, 50, 1};
    const LinearModel model = made_up_model(size);
    const Problem problem = made_up_problem(model, size.rows);
    std::vector<double> whole;
    for (int round = 0; round < rounds; ++round)
      whole.push_back(1e9 * (seconds_of_run(problem, 44) - seconds_of_run(problem, 4)) /
                      (40.0 * static_cast<double>(size.samples)));
    const double bare = bare_step_cost(size, 3 * rounds);
    fmt::print("| {} | {} | {} | {:.0f} | {:.0f} | {:.2f} |\n", n, size.nonzeros, size.samples, bare,
               least(whole), least(whole) / bare);
    std::fflush(stdout);
  }
}

}  // namespace bridle::bench
