// Question 1: do the potentials descend as the theory says, with the theory's parameters?
#include "bench/paper/bench.hpp"
#include "bench/paper/statistics.hpp"
#include "tests/support/descent_step.hpp"

namespace bridle::paper {
namespace {

constexpr double horizon = 1000;  // the theory's T: the largest steps at which there is something to check

// Where the inequality is checked: at iteration t of a run with the theory's parameters, or at states that
// such a run would take 1e9 iterations to reach, made by `warm` steps with practical ones.
struct Place {
  std::uint64_t warm, t;
};
constexpr Place places[] = {{0, 0},   {0, 1},     {0, 10},     {0, 100},     {0, 999},
                            {100, 0}, {1'000, 0}, {10'000, 0}, {10'000, 100}};

struct Check {
  int algorithm;
  const char* noise;
  Place place;
  std::vector<DescentSides> runs;
};

DescentSides check_once(const Family& family, int algorithm, Place place, std::uint64_t seed, int samples) {
  const Instance instance = make_instance(family, seed);
  const StandardForm form(instance.problem, literal_scaling());
  const TheoryConstants& c = instance.constants;
  const Parameters p = algorithm == 1 ? theory_plain(c, horizon) : theory_storm(c, horizon);
  const Diagnosis diagnosis(form,
                            {.mu = p.mu, .rho = p.rho, .smoothness = c.smoothness, .row_norm = c.row_norm});
  const char* name = algorithm == 1 ? "smoothed" : "storm";

  Iterate state = start_of(form);
  if (place.warm) {
    Run warm(form, name, practical(0.02), place.warm, seed);
    warm.advance_to(place.warm);
    state = warm.state();
  }
  if (place.t > 0 || (algorithm == 3 && !place.warm)) {
    // Continue with the theory's parameters; a fresh STORM run makes its first estimate even for t = 0.
    const Stage stage{p, {}, static_cast<std::uint64_t>(horizon)};
    const auto method = find_algorithm(name)->plain().create(form, stage, state, {.seed = seed + 500});
    method->run(stage, place.warm ? 1 : 0, place.t);
    state = method->snapshot();
  }
  const std::uint64_t fresh = 1'000'000 * (seed + 1);
  return algorithm == 1 ? plain_descent(form, diagnosis, state, p, instance.sigma, samples, fresh)
                        : storm_descent(form, diagnosis, state, p, c.mean_smoothness, instance.sigma,
                                        50 * samples, fresh);
}

}  // namespace

void measure_descent(const Bench& bench) {
  const std::size_t runs = bench.quick ? 8 : 24;
  const int samples = bench.quick ? 4 : 16;
  const Family additive{"additive", Region::box, RowKind::mixed, {.additive = 0.5}};
  const Family multiplicative{"multiplicative", Region::box, RowKind::mixed, {.multiplicative = 0.3}};
  std::vector<Check> checks;
  for (const int algorithm : {1, 3})
    for (const Family* family : {&additive, &multiplicative})
      for (const Place& place : places)
        checks.push_back({algorithm, family == &additive ? "additive" : "multiplicative", place,
                          std::vector<DescentSides>(runs)});
  in_parallel(checks.size() * runs, [&](std::size_t job) {
    Check& check = checks[job / runs];
    const bool plain_noise = check.noise == std::string("additive");
    check.runs[job % runs] = check_once(plain_noise ? additive : multiplicative, check.algorithm, check.place,
                                        job % runs, samples);
  });

  TextFile csv(bench.data / "descent.csv");
  csv.line(
      "algorithm,noise,warm_steps,t,drop,terms,noise_allowance,margin,margin_halfwidth_99,smallest_margin,"
      "holds");
  TextFile table(bench.tables / "descent.md");
  table.line(
      "| algorithm | noise | state | mean drop of the potential | right-hand side | margin, 99% interval | "
      "holds |");
  table.line("| --- | --- | --- | --- | --- | --- | --- |");
  int held = 0;
  double worst_ratio = 0, sbar = 0;
  for (const Check& check : checks) {
    Numbers drop, terms, allowance, margin;
    for (const DescentSides& run : check.runs) {
      drop.push_back(run.drop);
      terms.push_back(run.terms);
      allowance.push_back(run.noise_allowance);
      margin.push_back(run.margin());
      worst_ratio = std::max(worst_ratio, run.error_bound);
    }
    const double half = 2.81 * standard_error(margin);  // Student's t, 23 degrees of freedom
    const bool holds = mean(margin) - half >= 0;
    held += holds;
    csv.line("{},{},{},{},{:.6e},{:.6e},{:.6e},{:.6e},{:.3e},{:.6e},{}", check.algorithm, check.noise,
             check.place.warm, check.place.t, mean(drop), mean(terms), mean(allowance), mean(margin), half,
             quantile(margin, 0), holds);
    const std::string state =
        check.place.warm ? fmt::format("t = {} after {} practical steps", check.place.t, check.place.warm)
                         : fmt::format("t = {}", check.place.t);
    table.line("| {} | {} | {} | {:.2e} | {:.2e} | {:.2e} +- {:.0e} | {} |", check.algorithm, check.noise,
               state, mean(drop), mean(terms) - mean(allowance), mean(margin), half,
               holds ? "yes" : "**no**");
  }
  for (std::uint64_t seed = 0; seed < runs; ++seed)
    sbar = std::max(sbar, make_instance(additive, seed).constants.error_bound);
  table.line("");
  table.line(
      "The inequality holds, with its whole interval, at {} of {} checked states ({} runs each). "
      "Largest measured |x*(y,z) - xbar(z)| / |A x*(y,z) - b|: {:.2f}; sbar used: {:.2f}.",
      held, checks.size(), runs, worst_ratio, sbar);
}

}  // namespace bridle::paper
