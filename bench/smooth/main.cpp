// Problems of Hock and Schittkowski with smooth constraints, every answer judged on the exact problem.
#include <cmath>
#include <cstdlib>
#include <ctime>

#include <fmt/format.h>

#include "bridle/certify/certify.hpp"
#include "bridle/run/solve.hpp"

#ifdef BRIDLE_IPOPT
#include "bench/smooth/ipopt.hpp"
#endif
#include "tests/support/hock_schittkowski.hpp"

namespace bridle {
namespace {

using hock_schittkowski::Gradients;

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Outcome {
  double objective, error, seconds;
};

struct Tally {
  int met = 0, published = 0, all = 0;
  void add(const Outcome& outcome, double optimum) {
    ++all;
    met += outcome.error <= 1e-4;
    published += outcome.error <= 1e-4 &&
                 std::abs(outcome.objective - optimum) <= 1e-4 * std::max(1.0, std::abs(optimum));
  }
  std::string text() const {
    return fmt::format("{} of {} ({} at the published optimum)", met, all, published);
  }
};

Outcome judged(const Problem& exact, const Vector& x, const Vector& y, double seconds) {
  const Certificate c = certify(exact, x, y, {.improve_multipliers = true});
  return {c.objective, c.error(), seconds};
}

Outcome ours(int number, const Problem& exact, Gradients gradients) {
  const Problem problem = hock_schittkowski::instance(number, gradients).problem;
  SolveOptions options;
  if (gradients != Gradients::exact) options.samples = 1e5;
  const double begin = processor_seconds();
  const Result result = solve(problem, options);
  return judged(exact, result.x, result.y, processor_seconds() - begin);
}

std::string cell(const Outcome& outcome) {
  return fmt::format("{:.9g} | {:.1e} | {:.3f}", outcome.objective, outcome.error, outcome.seconds);
}

void run(const std::vector<int>& numbers) {
  fmt::print(
      "| problem | variables | rows | published | found | error | s | noisy: found | error | s | samples "
      "only: found | "
      "error | s |{}\n",
#ifdef BRIDLE_IPOPT
      " Ipopt: found | error | s |"
#else
      ""
#endif
  );
  fmt::print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |{}\n",
#ifdef BRIDLE_IPOPT
             " --- | --- | --- |"
#else
             ""
#endif
  );
  Tally exact_tally, noisy_tally, samples_tally, ipopt_tally;
  for (const int number : numbers) {
    const auto instance = hock_schittkowski::instance(number);
    const Problem& exact = instance.problem;
    const Outcome plain = ours(number, exact, Gradients::exact),
                  noisy = ours(number, exact, Gradients::noisy),
                  sampled = ours(number, exact, Gradients::samples_only);
    exact_tally.add(plain, instance.optimum);
    noisy_tally.add(noisy, instance.optimum);
    samples_tally.add(sampled, instance.optimum);
    fmt::print("| HS{}{} | {} | {} | {:.9g} | {} | {} | {} |", number, instance.best_known ? "" : "*",
               exact.dimension(), exact.row_count(), instance.optimum, cell(plain), cell(noisy),
               cell(sampled));
#ifdef BRIDLE_IPOPT
    const double begin = processor_seconds();
    const IpoptAnswer answer = solve_with_ipopt(exact);
    if (answer.x.size() > 0) {
      const Outcome other = judged(exact, answer.x, answer.multipliers, processor_seconds() - begin);
      ipopt_tally.add(other, instance.optimum);
      fmt::print(" {} |", cell(other));
    } else {
      fmt::print(" | | |");
    }
#endif
    fmt::print("\n");
    std::fflush(stdout);
  }
  fmt::print("\nError at most 1e-4 by the judge: without noise {}; noisy gradients {}; samples only {}",
             exact_tally.text(), noisy_tally.text(), samples_tally.text());
  if (ipopt_tally.all > 0) fmt::print("; Ipopt {}", ipopt_tally.text());
  fmt::print(".\n");
}

}  // namespace
}  // namespace bridle

int main(int count, char** arguments) {
  std::vector<int> numbers;
  for (int k = 1; k < count; ++k) numbers.push_back(std::atoi(arguments[k]));
  try {
    bridle::run(numbers.empty() ? bridle::hock_schittkowski::numbers() : numbers);
  } catch (const bridle::InputError& error) {
    std::fprintf(stderr, "bench_smooth: %s\n", error.what());
    return 2;
  }
}
