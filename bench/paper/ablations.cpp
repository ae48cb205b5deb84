// Question 5: what do the dual step and the smoothing buy? Algorithm 1 with one part taken away at a time, on
// problems that are concave along the rows, with rho too small to make up for it.
#include "bench/paper/bench.hpp"
#include "bench/paper/statistics.hpp"

namespace bridle::paper {
namespace {

// Curvature h = -1 along the rows, singular value s = 1, k_e = eta/tau, k_b = beta/tau: the condition
//   a k_e s^2 + (a + k_b) k_b (h + rho s^2) > 0,  a = h + mu + rho s^2,
// says which of these settle.
constexpr double tau = 0.01, rho = 0.5, mu = 2;
constexpr double settled = 0.1;  // infeasibility of a run that settles
struct Variant {
  const char* name;
  double eta, beta, mu;
};
constexpr Variant variants[] = {
    {"Algorithm 1", tau, 0.3 * tau, mu},
    {"no dual step (eta = 0)", 0, 0.3 * tau, mu},
    {"no smoothing (mu = 0)", tau, 0.3 * tau, 0},
    {"beta too large", tau, 10 * tau, mu},
};

bool predicted_stable(const Variant& v) {
  const double h = -1 + rho, a = h + v.mu, k_e = v.eta / tau, k_b = v.mu > 0 ? v.beta / tau : 0;
  return v.mu > 0 ? a * k_e + (a + k_b) * k_b * h > 0 : a > 0;
}

struct Track {
  Numbers iteration, infeasibility, error, movement;
};

Track follow(const Variant& v, double noise, double penalty, std::uint64_t steps, std::uint64_t seed) {
  const Instance instance = make_concave_rows(noise, seed);
  const StandardForm form(instance.problem, literal_scaling());
  Run run(form, "smoothed", {.tau = tau, .eta = v.eta, .beta = v.beta, .mu = v.mu, .rho = penalty}, steps,
          seed);
  Track track;
  const std::uint64_t stride = steps / 200;
  for (std::uint64_t t = 0; t <= steps; t += stride) {
    run.advance_to(t);
    const Iterate& now = run.state();
    track.iteration.push_back(static_cast<double>(t));
    track.infeasibility.push_back(residual_norm(form, now.x));
    track.error.push_back(judge(form, now.x, now.y, true).error());
    track.movement.push_back((now.x - now.z).norm());
  }
  return track;
}

// Algorithm 1 with and without smoothing as rho grows: all other constants as above.
void write_over_rho(const Bench& bench, std::size_t seeds, std::uint64_t steps) {
  constexpr double penalties[] = {0, 0.25, 0.5, 0.9, 1.1, 2, 8};
  constexpr const Variant* both[] = {&variants[0], &variants[2]};
  constexpr std::size_t count = std::size(penalties) * 2;
  std::vector<Numbers> broken(count, Numbers(seeds));
  in_parallel(count * seeds, [&](std::size_t job) {
    const std::size_t cell = job / seeds;
    const Numbers found = follow(*both[cell % 2], 0.1, penalties[cell / 2], steps, job % seeds).infeasibility;
    broken[cell][job % seeds] =
        median(Numbers(found.begin() + static_cast<long>(found.size() / 2), found.end()));
  });
  TextFile table(bench.tables / "ablations_rho.md");
  table.line("| rho | Algorithm 1: median infeasibility (largest) | without smoothing (mu = 0) |");
  table.line("| --- | --- | --- |");
  TextFile csv(bench.data / "ablations_rho.csv");
  csv.line("rho,mu,problems,median_infeasibility,largest_infeasibility");
  std::string settles[2];
  int number[2] = {0, 0};
  for (std::size_t k = 0; k < std::size(penalties); ++k) {
    for (std::size_t v = 0; v < 2; ++v) {
      const Numbers& found = broken[2 * k + v];
      csv.line("{},{},{},{:.4e},{:.4e}", penalties[k], both[v]->mu, seeds, median(found), quantile(found, 1));
      if (quantile(found, 1) > settled) continue;
      settles[v] += fmt::format("{}{}", settles[v].empty() ? "" : ", ", penalties[k]);
      ++number[v];
    }
    table.line("| {} | {:.1e} ({:.1e}) | {:.1e} ({:.1e}) |", penalties[k], median(broken[2 * k]),
               quantile(broken[2 * k], 1), median(broken[2 * k + 1]), quantile(broken[2 * k + 1], 1));
  }
  TextFile says(bench.tables / "ablations_rho_says.md");
  says.line(
      "question 5 has problems with the curvature -1 along the rows on which Algorithm 1 settles "
      "(infeasibility "
      "at most {} on all of them) at {} of the {} rho from {} to {} that were tried, and `plain-alm` at "
      "{}{}.",
      settled, number[0], std::size(penalties), penalties[0], penalties[std::size(penalties) - 1], number[1],
      settles[1].empty() ? "" : ": " + settles[1]);
}

}  // namespace

void measure_ablations(const Bench& bench) {
  const std::size_t seeds = bench.quick ? 6 : 20;
  const std::uint64_t steps = bench.quick ? 20'000 : 40'000;
  constexpr double noises[] = {0, 0.1};
  constexpr std::size_t count = std::size(variants) * std::size(noises);
  std::vector<std::vector<Track>> tracks(count, std::vector<Track>(seeds));
  in_parallel(count * seeds, [&](std::size_t job) {
    const std::size_t cell = job / seeds;
    tracks[cell][job % seeds] = follow(variants[cell % std::size(variants)],
                                       noises[cell / std::size(variants)], rho, steps, job % seeds);
  });

  TextFile csv(bench.data / "ablations.csv");
  csv.line("variant,noise,iteration,infeasibility,error,distance_x_z");
  TextFile table(bench.tables / "ablations.md");
  table.line(
      "| variant | noise | linear theory | median infeasibility, second half of the run | its quartiles | "
      "median of the judge's error |");
  table.line("| --- | --- | --- | --- | --- | --- |");
  for (std::size_t cell = 0; cell < count; ++cell) {
    const Variant& v = variants[cell % std::size(variants)];
    const double noise = noises[cell / std::size(variants)];
    const Track& first = tracks[cell].front();
    for (std::size_t k = 0; k < first.iteration.size(); ++k)
      csv.line("{},{},{:.0f},{:.4e},{:.4e},{:.4e}", v.name, noise, first.iteration[k], first.infeasibility[k],
               first.error[k], first.movement[k]);
    Numbers broken, error;
    for (const Track& track : tracks[cell])
      for (std::size_t k = track.error.size() / 2; k < track.error.size(); ++k) {
        broken.push_back(track.infeasibility[k]);
        error.push_back(track.error[k]);
      }
    table.line("| {} | {} | {} | {:.1e} | {:.1e} to {:.1e} | {:.1e} |", v.name, noise,
               v.eta == 0            ? "no multipliers"
               : predicted_stable(v) ? "stable"
                                     : "unstable",
               median(broken), quantile(broken, 0.25), quantile(broken, 0.75), median(error));
  }
  table.line("");
  table.line("{} problems, {} iterations, tau = {}, rho = {}, constant steps.", seeds, steps, tau, rho);
  write_over_rho(bench, seeds, steps);
}

}  // namespace bridle::paper
