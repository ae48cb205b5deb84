// Fast versions of three questions of bench/paper: the potentials descend, the dual safeguard, and the
// post-processing step. Seeds are fixed; the false-alarm rate of each statement stands beside it.
#include <Eigen/SVD>
#include <gtest/gtest.h>

#include "bridle/algorithms/post_processing.hpp"
#include "bridle/certify/certify.hpp"

#include "tests/support/descent_step.hpp"
#include "tests/support/paper_problems.hpp"
#include "tests/tolerances.hpp"

namespace bridle {
namespace {

using paper::DescentSides;
using paper::Instance;

constexpr std::uint64_t warm_steps = 2'000;

Scaling literal_rows() {
  Scaling scaling;
  scaling.metric = MetricKind::identity;
  return scaling;
}

Parameters practical(double tau) {
  return {.tau = tau, .eta = 2 * tau, .beta = tau, .mu = 2, .rho = 2, .alpha = 50 * tau * tau};
}

Iterate start_of(const StandardForm& form) {
  const Problem& problem = form.problem();
  Iterate start;
  start.x = form.to_standard(problem.starting_point(), problem.rows().matrix * problem.starting_point());
  form.project(start.x);
  start.z = start.x;
  start.y = Vector::Zero(form.rows());
  return start;
}

// The state after `steps` iterations.
Iterate run(const StandardForm& form, const char* algorithm, const Parameters& p, std::uint64_t steps,
            std::uint64_t seed, double dual_bound = infinity) {
  const Stage stage{p, {}, std::max<std::uint64_t>(steps, 1)};
  const auto method = find_algorithm(algorithm)->plain().create(form, stage, start_of(form),
                                                                {.seed = seed, .dual_bound = dual_bound});
  method->run(stage, 0, steps);
  return method->snapshot();
}

// The margins of the descent inequality over ten problems, from the start or from states near stationarity.
// `factor` multiplies the theory's steps.
std::vector<double> margins(bool storm, std::uint64_t warm, double factor = 1, double noise = 0.5) {
  std::vector<double> out;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Instance instance =
        paper::make_instance({"", paper::Region::box, paper::RowKind::mixed, {.additive = noise}}, seed);
    const StandardForm form(instance.problem, literal_rows());
    const TheoryConstants& c = instance.constants;
    Parameters p = storm ? theory_storm(c, 1000) : theory_plain(c, 1000);
    const Diagnosis diagnosis(form,
                              {.mu = p.mu, .rho = p.rho, .smoothness = c.smoothness, .row_norm = c.row_norm});
    p.tau *= factor;
    p.eta *= factor;
    const Iterate state = run(form, storm ? "storm" : "smoothed", practical(0.02), warm, seed);
    const std::uint64_t fresh = 1'000'000 * (seed + 1);
    const DescentSides sides =
        storm ? paper::storm_descent(form, diagnosis, state, p, c.mean_smoothness, instance.sigma, 200, fresh)
              : paper::plain_descent(form, diagnosis, state, p, instance.sigma, 8, fresh);
    out.push_back(sides.margin());
  }
  return out;
}

double standardised(const std::vector<double>& values) {
  const double count = static_cast<double>(values.size());
  double mean = 0, squares = 0;
  for (const double v : values) mean += v / count;
  for (const double v : values) squares += (v - mean) * (v - mean);
  return mean / std::sqrt(squares / (count - 1) / count);
}

// The mean margin lies more than z_limit standard errors below 0 by chance at a rate of about 1e-5 (Student's
// t with 9 degrees of freedom has heavier tails than the normal) even if the true margin were 0; it is well
// above.
TEST(Guarantees, PotentialOfAlgorithm1Descends) {
  for (const std::uint64_t warm : {std::uint64_t{0}, warm_steps})
    EXPECT_GT(standardised(margins(false, warm)), 0) << warm << " steps before";
}

TEST(Guarantees, PotentialOfAlgorithm3Descends) {
  for (const std::uint64_t warm : {std::uint64_t{0}, warm_steps})
    EXPECT_GT(standardised(margins(true, warm)), 0) << warm << " steps before";
}

TEST(Guarantees, TheDescentTestSeesStepsThatAreTooLong) {
  // Without noise nothing is allowed for it; tau is then about 1, three times what smoothness permits.
  for (const double margin : margins(false, 100, 1e4, 0)) EXPECT_LT(margin, 0);
}

// The first statement is certain: until it fires, the guarded run is the free one, which ends above the
// bound. The second fails only if |y| passes 1,000 times its sound size: less than 1e-6.
TEST(Guarantees, SafeguardFiresUnderASmallBoundOnly) {
  constexpr std::uint64_t steps = 5'000;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const Instance instance =
        paper::make_instance({"", paper::Region::box, paper::RowKind::drawn, {.additive = 0.5}}, seed);
    const StandardForm form(instance.problem, literal_rows());
    const Iterate free = run(form, "safeguarded", practical(0.01), steps, seed);
    const Iterate small = run(form, "safeguarded", practical(0.01), steps, seed, 0.3 * free.y.norm());
    const Iterate right = run(form, "safeguarded", practical(0.01), steps, seed, 1000 * free.y.norm());
    EXPECT_EQ(free.resets, 0u);
    EXPECT_GT(small.resets, 1u) << "once it has fired it must fire again and again";
    EXPECT_LT(small.y.norm(), 0.3 * free.y.norm());
    EXPECT_EQ(right.resets, 0u);
    EXPECT_EQ(right.x, free.x);
    const Diagnosis diagnosis(
        form, {.mu = 2, .rho = 2, .smoothness = 1, .row_norm = instance.constants.row_norm}, 1e-8);
    EXPECT_GT(envelope_gradient_norm(diagnosis, small.z), 3 * envelope_gradient_norm(diagnosis, right.z));
  }
}

// With probability at least 0.8 a large batch improves on the point and on a batch of one; fewer successes
// than the allowance have a chance below 1e-6.
TEST(Guarantees, PostProcessingImproves) {
  constexpr int problems = 24;
  int better_than_before = 0, better_than_one = 0;
  for (std::uint64_t seed = 0; seed < problems; ++seed) {
    const Instance instance =
        paper::make_instance({"", paper::Region::box, paper::RowKind::mixed, {.additive = 1}}, seed);
    const StandardForm form(instance.problem, literal_rows());
    const Parameters p = practical(0.01);
    const Iterate at = run(form, "smoothed", p, 20'000, seed);
    const double row_norm = instance.constants.row_norm, step = 1 / (3 + p.rho * row_norm * row_norm);
    const auto error = [&](const Vector& v, const Vector& y) {
      return certify(instance.problem, form.to_original(v), form.multipliers_to_original(y),
                     {.absolute = true})
          .error();
    };
    const PostProcessed one = *post_process(form, at, p, step, 1, seed),
                        many = *post_process(form, at, p, step, 2'000, seed);
    better_than_before += error(many.x, many.y) < error(at.x, many.y);
    better_than_one += error(many.x, many.y) < error(one.x, one.y);
  }
  const int allowance = test::binomial_allowance(problems, 0.8, 1e-6);
  EXPECT_GE(better_than_before, allowance);
  EXPECT_GE(better_than_one, allowance);
}

}  // namespace
}  // namespace bridle
