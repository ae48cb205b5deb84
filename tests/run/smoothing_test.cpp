// A natural problem that needs smoothing: nodes on a path agree on a number, one half of them with a loss
// that bends downwards. Their sum is convex, but the slowest disagreement along the path has a small singular
// value, so that a penalty that outweighs it must be large, and steps that bear such a penalty hardly move
// the common value.
#include <cstdio>

#include <gtest/gtest.h>

#include "bridle/problem/objectives/quadratic.hpp"
#include "bridle/problem/sets/sets.hpp"
#include "bridle/run/solve.hpp"

#include "tests/properties.hpp"

namespace bridle {
namespace {

constexpr Index nodes = 40;
constexpr double L = 1;

// f = sum over nodes of h_i (x_i - 1)^2 / 2 with h = -0.8 and 1; the only stationary point has all x_i = 1.
Problem path() {
  Matrix hessian = Matrix::Zero(nodes, nodes);
  for (Index i = 0; i < nodes; ++i) hessian(i, i) = i < nodes / 2 ? -0.8 : L;
  Matrix rows = Matrix::Zero(nodes - 1, nodes);
  for (Index i = 0; i + 1 < nodes; ++i) {
    rows(i, i) = 1;
    rows(i, i + 1) = -1;
  }
  Problem out(Quadratic(test::sparse(hessian), -hessian.diagonal()));
  out.within(Box(Vector::Constant(nodes, -10), Vector::Constant(nodes, 10)));
  out.subject_to(rows, Vector::Zero(nodes - 1), Vector::Zero(nodes - 1));
  return out;
}

// The distance of the last x to the solution after 20,000 steps of 1/(L + mu + rho |A|^2), the paper's
// literal loop.
double distance(double mu, double rho, double eta_over_tau, double beta_over_tau) {
  constexpr double row_norm_squared = 4;  // of a path
  const double tau = 1 / (L + mu + rho * row_norm_squared);
  SolveOptions options;
  options.samples = 20000;
  options.tolerance = 0;
  options.source = ParameterSource::given;
  options.given = GivenParameters{.parameters = {.tau = tau,
                                                 .eta = eta_over_tau * tau,
                                                 .beta = beta_over_tau * tau,
                                                 .mu = mu,
                                                 .rho = rho},
                                  .schedule = {},
                                  .metric = MetricKind::identity};
  options.output = Output::last;
  options.finish = false;
  const Result result = solve(path(), options);
  return (result.x - Vector::Ones(nodes)).lpNorm<Eigen::Infinity>();
}

double best_distance(double mu, double rho, const std::vector<double>& betas) {
  double best = infinity;
  for (const double eta : {1.0, 10.0, 100.0})
    for (const double beta : betas) best = std::min(best, distance(mu, rho, eta, beta));
  return best;
}

TEST(Smoothing, IsNeededAtEveryPenalty) {
  // What smoothing reaches within the 20,000 steps; from rho = 100 on the steps are too short for it too.
  const auto reached = [](double rho) { return rho <= 0.1 ? 1e-4 : rho <= 1 ? 0.01 : rho <= 10 ? 0.5 : 2; };
  std::printf("  rho/L   mu = 0     mu = 4 L\n");
  for (const double rho : {0.1, 1.0, 10.0, 100.0, 1000.0}) {
    const double without = best_distance(0, rho, {0.0}), with = best_distance(4 * L, rho, {0.03, 0.1});
    std::printf("  %-6g  %.1e    %.1e\n", rho, without, with);
    EXPECT_GT(without, 0.9) << "the start is at distance 1, and the best eta of three counts; rho " << rho;
    EXPECT_LT(with, reached(rho)) << "rho " << rho;
  }
}

}  // namespace
}  // namespace bridle
