// Algorithm 2 with row sampling: how the cost of an iteration grows with the number of rows, and a certified
// run with 100,000 of them. Prints Markdown.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "bridle/algorithms/registry.hpp"
#include "bridle/bridle.hpp"

namespace {

using namespace bridle;

constexpr Index variables = 500, nonzeros = 5;

// A nonconvex separable quadratic over a box with noisy gradients, and sparse random rows a'x <= a'x_0 + gap.
Problem make_problem(Index rows) {
  const Stream random(5, Purpose::generator);
  const auto u64 = [](Index i) { return static_cast<std::uint64_t>(i); };
  Vector inside(variables), cost(variables), upper(rows);
  for (Index j = 0; j < variables; ++j) inside[j] = random.uniform(u64(j), 1) - 0.5;
  std::vector<Eigen::Triplet<double>> entries;
  for (Index i = 0; i < rows; ++i) {
    double activity = 0;
    for (std::uint32_t k = 0; k < nonzeros; ++k) {
      const auto j = static_cast<Index>(random.below(u64(variables), u64(i), 10 + k));
      const double value = random.normal(u64(i), 20 + k);
      entries.emplace_back(i, j, value);
      activity += value * inside[j];
    }
    upper[i] = activity + 1.5 + random.uniform(u64(i), 30);
  }
  SparseRows matrix(rows, variables);
  matrix.setFromTriplets(entries.begin(), entries.end());
  SparseColumns hessian(variables, variables);
  hessian.setIdentity();
  for (Index j = 0; j < variables; j += 5) hessian.coeffRef(j, j) = -0.5;
  random.fill_normal(cost, 77);
  Problem problem(Quadratic(hessian, 3 * cost, 0, {.additive = 1}));
  problem.within(Box(Vector::Constant(variables, -1), Vector::Constant(variables, 1)));
  problem.subject_to(matrix, Vector::Constant(rows, -infinity), upper);
  return problem;
}

// Nanoseconds of one iteration, the best of five runs of 2,000: the loop alone, nothing of set-up or judge.
double nanoseconds(const Problem& problem) {
  Scaling scaling;
  scaling.metric = MetricKind::diagonal;
  const StandardForm form(problem, scaling);
  Iterate start;
  start.x = form.to_standard(problem.starting_point(), problem.rows().upper);
  start.z = start.x;
  start.y = Vector::Zero(form.rows());
  const Stage stage{{.tau = 1e-3, .eta = 1e-3, .beta = 1e-3, .mu = 1, .rho = 1, .alpha = 1}, {}, 10'000};
  const auto method = find_algorithm("safeguarded")->plain().create(form, stage, start, {});
  double best = infinity;
  for (std::uint64_t run = 0; run < 5; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    method->run(stage, 2000 * run, 2000);
    best = std::min(
        best,
        std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() / 2000);
  }
  return best;
}

}  // namespace

// bench_rows [ROWS...]
int main(int count, char** arguments) {
  std::vector<Index> sizes{1'000, 10'000, 100'000};
  if (count > 1) sizes.clear();
  for (int k = 1; k < count; ++k) sizes.push_back(std::atoll(arguments[k]));
  std::printf(
      "| rows | status | relative error | iterations | ns per iteration | against 1,000 rows | solve, s | "
      "judge, s |\n");
  std::printf("| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  double reference = 0;
  for (const Index rows : sizes) {
    const Problem problem = make_problem(rows);
    const Result result = solve(problem, {.samples = 3e5, .tolerance = 1e-2, .algorithm = "safeguarded"});
    const Certificate again = certify(problem, result.x, result.y);  // the last word is the judge's
    const double step = nanoseconds(problem);
    if (reference == 0) reference = step;
    std::printf("| %lld | %s | %.1e | %llu | %.0f | %.2f | %.1f | %.1f |\n", static_cast<long long>(rows),
                std::string(to_string(result.status)).c_str(), again.error(),
                static_cast<unsigned long long>(result.iterations), step, step / reference,
                result.solve_seconds, result.certify_seconds);
    std::fflush(stdout);
  }
  return 0;
}
