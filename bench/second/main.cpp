// bench_second DATA [PART OF A NAME] [details|dense|products]
// Processor seconds of the second-order phase to each relative error. The judge looks at the iterates
// afterwards, outside the timing; plain stochastic steps before the phase, where there are any, count.
#include <cmath>
#include <cstdio>
#include <exception>
#include <string>

#include <fmt/format.h>

#include "bridle/certify/certify.hpp"
#include "bridle/core/random.hpp"
#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/second/improve.hpp"

#include "bench/second/problems.hpp"
#include "bench/second/trail.hpp"

namespace {

using namespace bridle;

// Single-sample steps with falling lengths, blind to the rows: they only look for a basin.
Vector stochastic_start(const Problem& problem, double epochs) {
  Vector x = problem.starting_point();
  if (epochs <= 0) return x;
  const LinearModel& model = *problem.objective().as_linear_model();
  const double bend = loss_curvature(model.loss()) * model.mean_squared_norm(Vector::Ones(x.size()));
  const auto steps = static_cast<Index>(epochs * static_cast<double>(model.sample_count()));
  const Stream draws(7, Purpose::generator);
  for (Index k = 0; k < steps; ++k) {
    const auto i = static_cast<Index>(
        draws.below(static_cast<std::uint64_t>(model.sample_count()), static_cast<std::uint64_t>(k), 0));
    const double length = 0.5 / bend / (1 + 20.0 * static_cast<double>(k) / static_cast<double>(steps));
    const double slope = loss_slope(model.loss(), model.features().dot(i, x), model.labels()[i]);
    model.features().add_row(i, -length * slope, x);
  }
  problem.set().project(x);
  return x;
}

struct Point {
  double seconds;
  Vector x, multipliers;
  double value, estimate;
};

void time_problem(const bench::TimedProblem& timed, const std::string& how) {
  const bool details = how == "details";
  const Problem problem = timed.make();
  std::vector<Point> trail;
  second::Options options;
  options.tolerance = 1e-11;
  if (how == "dense") options.path = second::Path::dense;
  if (how == "products") options.path = second::Path::products;
  double looking = 0;
  const double start = bench::processor_seconds();
  const Vector first = stochastic_start(problem, timed.epochs);
  options.visit = [&](const second::Visit& visit) {
    const double now = bench::processor_seconds();
    trail.push_back({now - start - looking, visit.x, visit.multipliers, visit.value, visit.error});
    looking += bench::processor_seconds() - now;
  };
  const second::Outcome outcome = second::improve(problem, {first, {}}, options);
  const double total = bench::processor_seconds() - start - looking;

  const Judge judge(problem, {.improve_multipliers = true});
  std::string line = fmt::format("{:42}", timed.name);
  double goal = 1e-2, best = infinity;
  bool falls = true;
  for (std::size_t k = 0; k < trail.size(); ++k) {
    const Certificate certificate = judge(trail[k].x, trail[k].multipliers);
    best = std::min(best, certificate.error());
    falls = falls && (k == 0 || trail[k].value <= trail[k - 1].value + 1e-13 * std::abs(trail[k].value));
    if (details)
      fmt::print("  {:3} {:8.4f} s  f {:.14g}  estimate {:.1e}  judge {:.1e} (feas {:.1e})\n", k,
                 trail[k].seconds, trail[k].value, trail[k].estimate, certificate.error(),
                 certificate.feasibility.relative);
    for (; goal > 0.5e-8 && certificate.error() <= goal; goal *= 1e-2)
      line += fmt::format(" {:8.4f}", trail[k].seconds);
  }
  for (; goal > 0.5e-8; goal *= 1e-2) line += "        -";
  const second::Spent& spent = outcome.spent;
  fmt::print(
      "{}  | {:8.4f} s, best {:.0e}, {} iterations, {:.1f} Hessians, {:.0f} products, {} factors, {} "
      "inside, {} projections, curvature {}, {}{}\n",
      line, total, best, spent.iterations, spent.hessians, spent.hessian_products, spent.factorisations,
      spent.interior_points, spent.projections,
      outcome.least_curvature ? fmt::format("{:.1e}", *outcome.least_curvature) : "-",
      second::meaning(outcome.end), falls ? "" : ", F ROSE");
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    std::fputs("usage: bench_second DATA [PART OF A NAME] [details|dense|products]\n", stderr);
    return 2;
  }
  const std::string part = count > 2 ? arguments[2] : "";
  fmt::print("{:42} {:>8} {:>8} {:>8} {:>8}\n", "processor seconds to relative error", "1e-2", "1e-4", "1e-6",
             "1e-8");
  try {
    for (const auto& timed : bench::second_order_problems(arguments[1]))
      if (timed.name.find(part) != std::string::npos && (!timed.only_by_name || timed.name == part))
        time_problem(timed, count > 3 ? arguments[3] : "");
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_second: {}\n", error.what());
    return 2;
  }
}
