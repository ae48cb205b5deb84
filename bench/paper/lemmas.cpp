// Question 2: the lemmas behind the descent, one by one, at states of runs and with steps as long as each
// lemma allows, so that what could fail would.
#include "bench/paper/bench.hpp"
#include "bench/paper/statistics.hpp"
#include "tests/support/descent_step.hpp"

namespace bridle::paper {
namespace {

// a <= b is what a lemma says; `error` is the standard error of b - a where an expectation was sampled.
struct Bound {
  const char* name;
  double a, b;
  double error = 0;
  // Room for the accuracy of the inner solves, and four standard errors.
  bool holds() const { return a <= b + 1e-7 * (1 + std::abs(a)) + 4 * error; }
  double slack() const { return (b - a) / std::max({std::abs(a), std::abs(b), 1e-12}); }
};
using Bounds = std::vector<Bound>;

struct Place {
  const StandardForm& form;
  const Instance& instance;
  const Diagnosis& diagnosis;
  const Iterate& now;
  Parameters p;
  std::uint64_t seed;

  double lambda() const { return diagnosis.constants().lambda(); }
  double norm() const { return diagnosis.constants().row_norm; }
  double L_f() const { return diagnosis.constants().smoothness; }
  Vector rows(const Vector& v) const {
    Vector r(form.rows());
    form.residual(v, r);
    return r;
  }
};

double dot(const Vector& a, const Vector& b) { return a.dot(b); }

// Lemmas about x_{t+1} = proj_X(x_t - tau G), the expectation over G's sample.
void of_the_primal_step(const Place& at, const Iterate& next, Bounds& out) {
  const auto& [form, instance, diagnosis, now, p, seed] = at;
  const double lambda = at.lambda(), gamma_s = p.mu - at.L_f() + lambda, sigma = instance.sigma;
  const InnerSolution u = diagnosis.proximal(now.x, next.y, next.z);
  const double moved_z = (next.z - now.z).squaredNorm();
  Numbers phi, distance;
  for (std::uint64_t k = 0; k < 48; ++k) {
    const Vector x = step_from(form, "smoothed", now, p, seed + k).x;
    phi.push_back(diagnosis.proximal(x, next.y, next.z).value);
    distance.push_back((u.v - x).squaredNorm());
  }
  out.push_back({"first lemma of the appendix: E\\|u* - x_{t+1}\\|^2", mean(distance),
                 (1 - p.tau * lambda / 4) * (u.v - now.x).squaredNorm() +
                     (p.tau * p.mu + 2 * p.tau * p.tau * p.mu * p.mu) * moved_z +
                     p.tau * p.tau * sigma * sigma,
                 standard_error(distance)});
  const Vector before = diagnosis.proximal(now.x, next.y, now.z).v - now.x;
  out.push_back({"swo3: descent of phi", mean(phi) - u.value,
                 -p.tau * lambda * lambda / 16 * before.squaredNorm() +
                     (lambda * p.tau * p.mu + 2 * lambda * p.tau * p.tau * p.mu * p.mu +
                      p.tau * std::pow(lambda * p.mu / gamma_s, 2) / 8) *
                         moved_z +
                     lambda * p.tau * p.tau * sigma * sigma,
                 standard_error(phi)});
}

// Lemmas about the change of y and z, and about the inner minimisers.
void of_the_inner_problems(const Place& at, const Iterate& next, Bounds& out) {
  const auto& [form, instance, diagnosis, now, p, seed] = at;
  const double lambda = at.lambda(), gamma_K = p.mu - at.L_f(), gamma_s = gamma_K + lambda;
  const double gamma = gamma_K * lambda / (gamma_K + lambda), mu = p.mu;
  const Vector dz = next.z - now.z, dy = next.y - now.y;
  const InnerSolution u = diagnosis.proximal(now.x, now.y, now.z),
                      u_y = diagnosis.proximal(now.x, next.y, now.z),
                      u_yz = diagnosis.proximal(now.x, next.y, next.z);
  out.push_back({"phi_misc: phi in y", dot(-dy, at.rows(u.v)) + gamma_s / 2 * (u.v - u_y.v).squaredNorm(),
                 u.value - u_y.value});
  out.push_back({"phi_misc: phi in z",
                 mu / 2 * dot(dz, 2 * u_y.v - next.z - now.z) + gamma_s / 2 * (u_yz.v - u_y.v).squaredNorm(),
                 u_y.value - u_yz.value});
  const InnerSolution x = diagnosis.dual_function(now.y, now.z), x_y = diagnosis.dual_function(next.y, now.z),
                      x_yz = diagnosis.dual_function(next.y, next.z);
  out.push_back({"swo4: d", dot(dy, at.rows(x_y.v)) + mu / 2 * dot(dz, next.z + now.z - 2 * x_yz.v),
                 x_yz.value - x.value});
  const InnerSolution bar = diagnosis.envelope(now.z), bar_z = diagnosis.envelope(next.z);
  out.push_back({"swo4: Psi", bar_z.value - bar.value,
                 mu * dot(dz, now.z - bar.v) + mu / (2 * gamma_K / mu) * dz.squaredNorm()});
  out.push_back({"error bound: \\|x - x*\\| by \\|x - u*\\|", (now.x - x.v).norm(),
                 lambda / gamma * (now.x - u.v).norm()});
  out.push_back({"error bound: \\|u* - x\\| by \\|x - x*\\|", (u.v - now.x).norm(), (now.x - x.v).norm()});
  out.push_back({"error bound: u* in y", (u.v - u_y.v).norm(), at.norm() / gamma_s * dy.norm()});
  out.push_back({"error bound: u* in z", (u_y.v - u_yz.v).norm(), mu / gamma_s * dz.norm()});
  out.push_back({"error bound: x* in y", (x.v - x_y.v).norm(), at.norm() / gamma_K * dy.norm()});
  out.push_back({"error bound: x* in z", (x_y.v - x_yz.v).norm(), mu / gamma_K * dz.norm()});
  out.push_back({"error bound: xbar in z", (bar.v - bar_z.v).norm(), mu / gamma_K * dz.norm()});
  out.push_back({"lb: Psi <= V", bar.value, u.value - 2 * x.value + 2 * bar.value});
}

// Algorithm 3's lemmas, with a single sample's gradient for dhat.
void of_storm(const Place& at, Bounds& out) {
  const auto& [form, instance, diagnosis, now, p, seed] = at;
  const double gamma_K = p.mu - at.L_f(), L_K = at.lambda();
  Vector exact(form.dimension()), point(form.variables());
  form.mean_gradient(now.x, exact, point);
  Iterate state = now;
  state.estimate.resize(form.dimension());
  form.gradient(now.x, seed, state.estimate, point);
  const double error = (state.estimate - exact).squaredNorm();
  Numbers errors;
  Iterate next;
  for (std::uint64_t k = 0; k < 400; ++k) {
    next = step_from(form, "storm", state, p, seed + k);
    form.mean_gradient(next.x, exact, point);
    errors.push_back((next.estimate - exact).squaredNorm());
  }
  const Vector dx = next.x - now.x, dz = next.z - now.z;
  const auto K = [&](const Vector& x, const Vector& y, const Vector& z) {
    return diagnosis.smoothed_lagrangian(x, y, z);
  };
  out.push_back({"descent_alm_storm: K in x", K(next.x, next.y, now.z) - K(now.x, next.y, now.z),
                 p.tau / 2 * error - (1 / (2 * p.tau) - L_K / 2) * dx.squaredNorm()});
  out.push_back({"descent_alm_storm2: K",
                 -p.eta * at.rows(now.x).squaredNorm() + (p.mu / p.beta - 0.75 * p.mu) * dz.squaredNorm() -
                     p.tau / 2 * error + (1 / (2 * p.tau) - L_K / 2 - p.mu) * dx.squaredNorm(),
                 K(now.x, now.y, now.z) - K(next.x, next.y, next.z)});
  out.push_back({"x-x(y,z): \\|x_t - x*\\|", (now.x - diagnosis.dual_function(next.y, now.z).v).norm(),
                 dx.norm() / (p.tau * gamma_K) + std::sqrt(error) / gamma_K});
  const double L_0 = instance.constants.mean_smoothness;
  out.push_back({"variance_reduction: E\\|dhat - grad f\\|^2", mean(errors),
                 (1 - p.alpha) * (1 - p.alpha) * error + 3 * (L_0 * L_0 + 1) * dx.squaredNorm() +
                     3 * p.alpha * p.alpha * instance.sigma * instance.sigma,
                 standard_error(errors)});
}

// The global error bound at multipliers and centres of all sizes.
void of_the_dual(const Place& at, Bounds& out, Numbers& ratios) {
  const auto& [form, instance, diagnosis, now, p, seed] = at;
  const Stream stream(seed, Purpose::generator);
  for (std::uint64_t k = 0; k < 12; ++k) {
    Vector y(form.rows()), z(form.dimension());
    stream.fill_normal(y, 2 * k);
    stream.fill_normal(z, 2 * k + 1);
    y = now.y + std::pow(10, -2 + 0.3 * static_cast<double>(k)) * y;
    z = now.z + std::pow(10, -2 + 0.2 * static_cast<double>(k)) * z;
    const InnerSolution x = diagnosis.dual_function(y, z);
    const Vector bar = diagnosis.envelope(z).v;
    const double broken = at.rows(x.v).norm();
    if (broken < 1e-6) continue;
    ratios.push_back((x.v - bar).norm() / broken);
    out.push_back({"global error bound", (x.v - bar).norm(), instance.constants.error_bound * broken});
  }
}

}  // namespace

void measure_lemmas(const Bench& bench) {
  const std::size_t problems = bench.quick ? 6 : 24;
  const Family family{"", Region::box, RowKind::mixed, {.additive = 0.5}};
  constexpr std::uint64_t warm_steps[] = {0, 100, 1'000, 10'000};
  constexpr std::size_t states = std::size(warm_steps);
  std::vector<Bounds> found(problems * states);
  std::vector<Numbers> ratios(problems * states);
  Numbers sbar(problems);
  in_parallel(found.size(), [&](std::size_t job) {
    const std::uint64_t seed = job / states, warm = warm_steps[job % states];
    const Instance instance = make_instance(family, seed);
    const StandardForm form(instance.problem, literal_scaling());
    const TheoryConstants& c = instance.constants;
    sbar[seed] = c.error_bound;
    const double mu = theory_mu(c);
    const Diagnosis diagnosis(form, {.mu = mu, .rho = 1, .smoothness = 1, .row_norm = c.row_norm});
    Iterate now = start_of(form);
    if (warm) {
      Run run(form, "smoothed", practical(0.02), warm, seed);
      run.advance_to(warm);
      now = run.state();
    }
    const double lambda = diagnosis.constants().lambda();
    const Parameters bold{.tau = 1 / (6 * lambda), .eta = 0.5, .beta = 0.5, .mu = mu, .rho = 1, .alpha = 0.3};
    const Place at{form, instance, diagnosis, now, bold, 1'000'000 * (seed + 1)};
    const Iterate next = step_from(form, "smoothed", now, bold, at.seed);
    of_the_primal_step(at, next, found[job]);
    of_the_inner_problems(at, next, found[job]);
    of_storm(at, found[job]);
    of_the_dual(at, found[job], ratios[job]);
  });

  std::vector<const char*> names;
  for (const Bound& bound : found.front())
    if (std::none_of(names.begin(), names.end(), [&](const char* n) { return std::string(n) == bound.name; }))
      names.push_back(bound.name);
  TextFile csv(bench.data / "lemmas.csv");
  csv.line("lemma,checked,violated,smallest_slack,median_slack");
  TextFile table(bench.tables / "lemmas.md");
  table.line("| lemma | checked at | violated | smallest slack | median slack |");
  table.line("| --- | --- | --- | --- | --- |");
  int broken = 0;
  for (const char* name : names) {
    Numbers slack;
    int violated = 0;
    for (const Bounds& bounds : found)
      for (const Bound& bound : bounds)
        if (std::string(bound.name) == name) {
          slack.push_back(bound.slack());
          violated += !bound.holds();
        }
    broken += violated;
    csv.line("\"{}\",{},{},{:.4e},{:.4e}", name, slack.size(), violated, quantile(slack, 0), median(slack));
    table.line("| {} | {} | {} | {:.2g} | {:.2g} |", name, slack.size(), violated, quantile(slack, 0),
               median(slack));
  }
  Numbers all;
  for (const Numbers& some : ratios) all.insert(all.end(), some.begin(), some.end());
  table.line("\n{} lemmas, {} violations. Slack is (b - a)/max(\\|a\\|, \\|b\\|) for a <= b.", names.size(),
             broken);
  table.line(
      "\nThe ratio \\|x*(y,z) - xbar(z)\\| / \\|A x*(y,z) - b\\| over {} pairs (y, z) of all sizes: median "
      "{:.2f}, "
      "99% {:.2f}, largest {:.2f}; sbar used: {:.2f} to {:.2f}.",
      all.size(), median(all), quantile(all, 0.99), quantile(all, 1), quantile(sbar, 0), quantile(sbar, 1));
}

}  // namespace bridle::paper
