// How many samples a step takes: the least cost for the way, as docs/parameters.md has it.
#include "bridle/params/batch.hpp"

#include <gtest/gtest.h>

#include "bridle/params/automatic.hpp"
#include "bridle/params/noisy.hpp"

#include "tests/properties.hpp"

namespace bridle {
namespace {

constexpr Index many = 10'000'000;

// (25 if it waits + 0.15 moved + K (sample + 20)) / tau_K, written down once more.
double cost_of_way(const StepCost& cost, double R, double L, double K) {
  const double sees = L + (R - L) / K;
  const double rho = std::min(std::max(1.4 * sees - L, 2 * L), 8 * L);
  const double tau = std::min(0.5 / sees, 1 / (5 * L + rho));
  return ((cost.waits ? 25 : 0) + 0.15 * cost.moved + K * (cost.sample + 20)) / tau;
}

TEST(Batch, HasTheLeastCostForTheWay) {
  for (const double moved : {0.0, 300.0, 1e3, 1e4, 1e5})
    for (const double ratio : {1.5, 3.0, 10.0, 100.0, 5000.0})
      for (const double sample : {5.0, 20.0, 200.0}) {
        const StepCost cost{moved, sample, sample == 20};
        const BatchChoice choice = choose_batch(cost, ratio, 1, many);
        double least = infinity;
        for (double K = 1; K <= 8192; K *= 2) least = std::min(least, cost_of_way(cost, ratio, 1, K));
        const double chosen = cost_of_way(cost, ratio, 1, static_cast<double>(choice.samples));
        EXPECT_LE(chosen, (choice.samples == 1 ? 1.25 : 1.05) * least * (1 + 1e-12)) << moved << " " << ratio;
        EXPECT_EQ(choice.reason.has_value(), choice.samples > 1);
      }
}

// Steps that cost little besides their samples keep one, and so do samples that agree.
TEST(Batch, IsOneWhereItDoesNotPay) {
  EXPECT_EQ(choose_batch({0, 20}, 1000, 1, many).samples, 1);
  EXPECT_EQ(choose_batch({50, 20}, 1000, 1, many).samples, 1);
  EXPECT_EQ(choose_batch({300, 20}, 1.5, 1, many).samples, 1);
  EXPECT_EQ(choose_batch({0, 20, true}, 4, 1, many).samples, 1);
  EXPECT_EQ(choose_batch({0, 100, true}, 1000, 1, many).samples, 1);
  EXPECT_FALSE(may_want_batches({50, 20}));
  EXPECT_TRUE(may_want_batches({300, 20}));
}

// The more a step moves, and the more the samples disagree, the larger; never so large that a pass over the
// data has fewer than 500 steps.
TEST(Batch, GrowsWithWhatAStepMoves) {
  Index before = 1;
  for (const double moved : {0.0, 300.0, 3e3, 3e4, 3e5}) {
    const Index now = choose_batch({moved, 20}, 500, 1, many).samples;
    EXPECT_GE(now, before);
    before = now;
  }
  EXPECT_GE(before, 64);
  EXPECT_EQ(choose_batch({3e5, 20}, 500, 1, 50'000).samples, 64);
  EXPECT_EQ(choose_batch({3e5, 20}, 500, 1, 4'000).samples, 8);
  EXPECT_EQ(choose_batch({3e5, 20}, 500, 1, 999).samples, 1);
}

// A lazy step waits for its slope and its rows: samples with few nonzeros that all disagree share that.
TEST(Batch, SharesWhatAStepWaitsFor) {
  EXPECT_EQ(choose_batch({0, 20, true}, 1000, 1, many).samples, 8);
  EXPECT_TRUE(may_want_batches({0, 20, true}));
  EXPECT_FALSE(may_want_batches({0, 100, true}));
}

TEST(Batch, TheReasonHasTheNumbers) {
  const BatchChoice choice = choose_batch({800, 20}, 500, 1, 50'000);
  ASSERT_TRUE(choice.reason);
  EXPECT_EQ(choice.reason->symbol, "K");
  EXPECT_EQ(choice.reason->value, static_cast<double>(choice.samples));
  for (const char* part : {"0.15 800 numbers", "20 + 20"}) test::expect_contains(choice.reason->why, part);
}

// Samples that point everywhere, and 30 rows.
Problem with_rows() {
  constexpr Index n = 40;
  Problem problem(
      LinearModel(DenseRows<double>(test::random_matrix(2000, n, 4)), Vector::Ones(2000), SquaredLoss{}));
  problem.subject_to(test::random_matrix(30, n, 3), Vector::Constant(30, -1), Vector::Ones(30));
  return problem;
}

// With batches the noisy regime bears many rows, and tau is what means over a batch bear.
TEST(Batch, TheRuleTakesLongerSteps) {
  const Problem problem = with_rows();
  EXPECT_EQ(AutomaticRule(problem, 1e5, {}, 1).regime(), Regime::stiff);
  OriginalState start;
  start.x = start.z = problem.starting_point();
  start.multipliers = start.slacks = start.smoothed_slacks = Vector::Zero(30);
  double last = 0;
  for (const double K : {2.0, 4.0, 8.0}) {
    AutomaticRule rule(problem, 1e5, {.gradients_per_iteration = K, .batch = K}, 1);
    ASSERT_EQ(rule.regime(), Regime::noisy);
    const StagePlan plan = rule.next(start, std::nullopt, 1e5).value();
    const auto value = [&](const std::string& symbol) {
      for (const Reason& reason : plan.reasons)
        if (reason.symbol == symbol) return reason.value;
      return 0.0;
    };
    const double R = value("R"), L = value("L");
    EXPECT_DOUBLE_EQ(value("R_K"), L + (R - L) / K);
    EXPECT_EQ(plan.stage.parameters.tau, noisy_parameters({"R_K", value("R_K")}, {"L", L}).tau.value());
    EXPECT_GT(plan.stage.parameters.tau, last);
    EXPECT_LE(plan.stage.parameters.tau * (L + plan.stage.parameters.rho + plan.stage.parameters.mu),
              1 + 1e-12);
    EXPECT_EQ(plan.stage.iterations, static_cast<std::uint64_t>(1e5 / K));
    last = plan.stage.parameters.tau;
  }
}

}  // namespace
}  // namespace bridle
