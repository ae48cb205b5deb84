// Question 1: do the potentials descend as the theory says, with the theory's parameters?
#include "bench/paper/bench.hpp"
#include "bench/paper/statistics.hpp"
#include "tests/support/drawn_descent_step.hpp"

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
  const Family* family;
  Place place;
  std::vector<DescentSides> runs;
};

constexpr const char* names[] = {"", "smoothed", "safeguarded", "storm", "safeguarded-storm"};

DescentSides check_once(const Family& family, int algorithm, Place place, std::uint64_t seed, int samples) {
  const Instance instance = make_instance(family, seed);
  const StandardForm form(instance.problem, literal_scaling());
  TheoryConstants c = instance.constants;
  const bool storm = algorithm >= 3;
  if (algorithm == 4) c.mean_smoothness = std::sqrt(drawn_constants(instance, c.rho, 0).squares - 1);
  const Parameters p = storm ? theory_storm(c, horizon) : theory_plain(c, horizon);
  const Diagnosis diagnosis(form,
                            {.mu = p.mu, .rho = p.rho, .smoothness = c.smoothness, .row_norm = c.row_norm});
  const char* name = names[algorithm];

  Iterate state = start_of(form);
  if (place.warm) {
    Run warm(form, name, practical(0.02), place.warm, seed);
    warm.advance_to(place.warm);
    state = warm.state();
  }
  if (place.t > 0 || (storm && !place.warm)) {
    // Continue with the theory's parameters; a fresh STORM run makes its first estimate even for t = 0.
    const Stage stage{p, {}, static_cast<std::uint64_t>(horizon)};
    const double bound = formula_dual_bound(instance, p.mu, p.rho);  // the safeguard is on
    const auto method =
        find_algorithm(name)->plain().create(form, stage, state, {.seed = seed + 500, .dual_bound = bound});
    method->run(stage, place.warm ? 1 : 0, place.t);
    state = method->snapshot();
  }
  const std::uint64_t fresh = 1'000'000 * (seed + 1);
  switch (algorithm) {
    case 1:
      return plain_descent(form, diagnosis, state, p, instance.sigma, samples, fresh);
    case 2:
      return drawn_descent(form, diagnosis, state, p, samples, fresh);
    case 3:
      return storm_descent(form, diagnosis, state, p, c.mean_smoothness, instance.sigma, 50 * samples, fresh);
    default: {
      const DrawnConstants drawn = drawn_constants(instance, p.rho, state.y.norm() + 1);
      return drawn_storm_descent(form, diagnosis, state, p, drawn.squares, drawn.variance, 50 * samples,
                                 fresh);
    }
  }
}

}  // namespace

void measure_descent(const Bench& bench) {
  const std::size_t runs = bench.quick ? 8 : 24;
  const int samples = bench.quick ? 4 : 16;
  const Family additive{"additive", Region::box, RowKind::mixed, {.additive = 0.5}};
  const Family multiplicative{"multiplicative", Region::box, RowKind::mixed, {.multiplicative = 0.3}};
  const Family drawn{"additive, rows drawn", Region::box, RowKind::drawn, {.additive = 0.5}};
  std::vector<Check> checks;
  for (const int algorithm : {1, 2, 3, 4})
    for (const Family* family : {&additive, &multiplicative, &drawn})
      for (const Place& place : places)
        if ((family == &drawn) == (algorithm % 2 == 0))
          checks.push_back({algorithm, family, place, std::vector<DescentSides>(runs)});
  in_parallel(checks.size() * runs, [&](std::size_t job) {
    Check& check = checks[job / runs];
    check.runs[job % runs] = check_once(*check.family, check.algorithm, check.place, job % runs, samples);
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
  double least = infinity;  // margin over |right-hand side|, Algorithms 1 and 2
  int by_allowance = 0, fourth = 0;
  for (const Check& check : checks) {
    Numbers drop, terms, allowance, margin;
    for (const DescentSides& run : check.runs) {
      drop.push_back(run.drop);
      terms.push_back(run.terms);
      allowance.push_back(run.noise_allowance);
      margin.push_back(run.margin());
    }
    const double half = 2.81 * standard_error(margin);  // Student's t, 23 degrees of freedom
    const bool holds = mean(margin) - half >= 0;
    held += holds;
    fourth += check.algorithm == 4;
    by_allowance += check.algorithm == 4 && 2 * mean(allowance) > mean(margin);
    if (check.algorithm <= 2) least = std::min(least, mean(margin) / std::abs(mean(terms) - mean(allowance)));
    csv.line("{},\"{}\",{},{},{:.6e},{:.6e},{:.6e},{:.6e},{:.3e},{:.6e},{}", check.algorithm,
             check.family->name, check.place.warm, check.place.t, mean(drop), mean(terms), mean(allowance),
             mean(margin), half, quantile(margin, 0), holds);
    const std::string state =
        check.place.warm ? fmt::format("t = {} after {} practical steps", check.place.t, check.place.warm)
                         : fmt::format("t = {}", check.place.t);
    table.line("| {} | {} | {} | {:.2e} | {:.2e} | {:.2e} +- {:.0e} | {} |", check.algorithm,
               check.family->name, state, mean(drop), mean(terms) - mean(allowance), mean(margin), half,
               holds ? "yes" : "**no**");
  }
  table.line("");
  table.line("The inequality holds, with its whole interval, at {} of {} checked states ({} runs each).",
             held, checks.size(), runs);
  TextFile allowed(bench.tables / "descent_allowance.md");
  allowed.line("at {} of its {} states the allowance for the noise is more than half of the margin.",
               by_allowance, fourth);
  TextFile says(bench.tables / "descent_says.md");
  says.line(
      "For Algorithms 1 and 2 the margins of the descent inequalities are at least {:.0f} times the size of "
      "their "
      "right-hand sides (question 1)",
      std::floor(least));
}

}  // namespace bridle::paper
