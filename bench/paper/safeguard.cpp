// Question 6: the dual safeguard of Algorithm 2, from a bound far too small to the paper's own.
#include "bridle/diagnose/diagnosis.hpp"

#include "bench/paper/bench.hpp"
#include "bench/paper/statistics.hpp"
#include "tests/support/diagnosis_figures.hpp"

namespace bridle::paper {
namespace {

constexpr double tau = 0.005;
constexpr double factors[] = {0.3, 0.6, 0.9, 1.1, 1.5, 3};
constexpr std::size_t choices = std::size(factors) + 1;  // and the paper's formula

struct Outcome {
  double bound, resets, early_resets, gradient, error;
};

// |z - proj_X(z - grad f(z) - A'y)|: what the multipliers are worth.
double multiplier_error(const StandardForm& form, const Iterate& at) {
  Vector gradient(form.dimension()), point(form.variables());
  form.mean_gradient(at.z, gradient, point);
  form.add_adjoint(at.y, gradient);
  Vector moved = at.z - gradient;
  form.project(moved);
  return (moved - at.z).norm();
}

// All choices of M_y on one problem; `sound` is |y| at the end of a run without a bound.
void run_all(std::uint64_t seed, std::uint64_t steps, Outcome* out, double& sound) {
  const Instance instance = make_instance({"", Region::box, RowKind::drawn, {.additive = 0.5}}, seed);
  const StandardForm form(instance.problem, literal_scaling());
  const Parameters p = practical(tau);
  const Diagnosis diagnosis(
      form, {.mu = p.mu, .rho = p.rho, .smoothness = 1, .row_norm = instance.constants.row_norm}, 1e-8);
  Run free(form, "safeguarded", p, steps, seed);
  free.advance_to(steps);
  sound = free.state().y.norm();
  for (std::size_t k = 0; k < choices; ++k) {
    const double bound =
        k < std::size(factors) ? factors[k] * sound : formula_dual_bound(instance, p.mu, p.rho);
    Run run(form, "safeguarded", p, steps, seed, bound);
    run.advance_to(steps / 2);
    const double early = static_cast<double>(run.state().resets);
    run.advance_to(steps);
    out[k] = {bound, static_cast<double>(run.state().resets), early,
              envelope_gradient_norm(diagnosis, run.state().z), multiplier_error(form, run.state())};
  }
}

}  // namespace

void measure_safeguard(const Bench& bench) {
  const std::size_t seeds = bench.quick ? 6 : 12;
  const std::uint64_t steps = bench.quick ? 20'000 : 50'000;
  std::vector<std::vector<Outcome>> outcomes(seeds, std::vector<Outcome>(choices));
  Numbers sound(seeds);
  in_parallel(seeds, [&](std::size_t seed) { run_all(seed, steps, outcomes[seed].data(), sound[seed]); });

  TextFile csv(bench.data / "safeguard.csv");
  csv.line("seed,choice,bound,sound_norm,resets,resets_first_half,gradient_norm,error");
  TextFile table(bench.tables / "safeguard.md");
  table.line(
      "| M_y | median M_y | resets in {} iterations, median (largest) | of them in the second half | runs "
      "with no reset | median \\|grad Psi(z)\\| | median \\|z - proj(z - grad f(z) - A'y)\\| |",
      steps);
  table.line("| --- | --- | --- | --- | --- | --- | --- |");
  for (std::size_t k = 0; k < choices; ++k) {
    const std::string choice =
        k < std::size(factors) ? fmt::format("{} of the sound size", factors[k]) : "the paper's formula";
    Numbers bound, resets, late, gradient, error;
    int silent = 0;
    for (std::size_t seed = 0; seed < seeds; ++seed) {
      const Outcome& o = outcomes[seed][k];
      csv.line("{},{},{:.4e},{:.4e},{:.0f},{:.0f},{:.4e},{:.4e}", seed, choice, o.bound, sound[seed],
               o.resets, o.early_resets, o.gradient, o.error);
      bound.push_back(o.bound);
      resets.push_back(o.resets);
      late.push_back(o.resets - o.early_resets);
      gradient.push_back(o.gradient);
      error.push_back(o.error);
      silent += o.resets == 0;
    }
    table.line("| {} | {:.3g} | {:.0f} ({:.0f}) | {:.0f} ({:.0f}) | {} of {} | {:.1e} | {:.1e} |", choice,
               median(bound), median(resets), quantile(resets, 1), median(late), quantile(late, 1), silent,
               seeds, median(gradient), median(error));
  }
  Numbers low_late, low_gradient, formula_gradient, over;
  double formula_resets = 0;
  for (std::size_t seed = 0; seed < seeds; ++seed) {
    for (std::size_t k = 0; factors[k] < 1; ++k) {
      low_late.push_back(outcomes[seed][k].resets - outcomes[seed][k].early_resets);
      low_gradient.push_back(outcomes[seed][k].gradient);
    }
    const Outcome& formula = outcomes[seed].back();
    formula_resets += formula.resets;
    formula_gradient.push_back(formula.gradient);
    over.push_back(formula.bound / sound[seed]);
  }
  TextFile says(bench.tables / "safeguard_says.md");
  says.line(
      "the paper's formula is {:.0f} times the multipliers (median), and acts {:.0f} times in these {} runs. "
      "With "
      "bounds below their size {} of {} runs still reset y in the second half, and |grad Psi(z)| ends at "
      "{:.0f} "
      "times that of the formula (medians).",
      median(over), formula_resets, seeds,
      std::count_if(low_late.begin(), low_late.end(), [](double resets) { return resets > 0; }),
      low_late.size(), median(low_gradient) / median(formula_gradient));
  table.line("");
  table.line(
      "The sound size is |y| at the end of a run without a bound, median {:.2f}; {} problems, tau = {}.",
      median(sound), seeds, tau);
}

}  // namespace bridle::paper
