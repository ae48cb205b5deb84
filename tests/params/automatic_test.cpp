#include "bridle/params/automatic.hpp"

#include <numbers>
#include <set>

#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

#include "bridle/core/archive.hpp"
#include "bridle/problem/objectives/quadratic.hpp"

#include "tests/properties.hpp"

namespace bridle {
namespace {

using test::random_vector;
using test::vec;

constexpr Index n = 5;

Problem quadratic(double noise, Index rows = 2) {
  Problem problem(Quadratic(test::sparse(test::with_spectrum(vec(10, 3, 1, -1, -2), 1)), random_vector(n, 2),
                            0, {.additive = noise}));
  problem.subject_to(test::random_matrix(rows, n, 3), Vector::Constant(rows, -1), Vector::Ones(rows));
  return problem;
}

// `spread`: the samples point everywhere; otherwise all in one direction, where single samples tell the whole
// curvature.
Problem linear_model(bool spread, Index rows) {
  Matrix data = test::random_matrix(200, n, 4);
  if (!spread) data = Vector::Ones(200) * random_vector(n, 5).transpose();
  Problem problem(LinearModel(DenseRows<double>(data), Vector::Ones(200), SquaredLoss{}));
  problem.subject_to(test::random_matrix(rows, n, 3), Vector::Constant(rows, -1), Vector::Ones(rows));
  return problem;
}

OriginalState start(const Problem& problem) {
  const Index m = problem.rows().count();
  OriginalState out;
  out.x = out.z = problem.starting_point();
  out.multipliers = out.slacks = out.smoothed_slacks = Vector::Zero(m);
  return out;
}

TEST(AutomaticRule, Regimes) {
  const auto regime = [](const Problem& problem) { return AutomaticRule(problem, 1e4, {}, 1).regime(); };
  EXPECT_EQ(regime(quadratic(1)), Regime::stiff);
  EXPECT_EQ(regime(linear_model(true, 2)), Regime::noisy) << "trace over largest eigenvalue is about n = 5";
  EXPECT_EQ(regime(linear_model(false, 2)), Regime::stiff) << "the ratio is 1";
  EXPECT_EQ(regime(linear_model(true, 11)), Regime::stiff) << "many rows";
}

// The theorems need mu > L_f, the curvature of the mean, and steps of at most 1/(L_f + rho + mu): with the
// exact L_f in the units of the stage, on models of several shapes, with a ridge and without.
TEST(AutomaticRule, NoisyRegimeIsInsideTheTheorysAssumptions) {
  for (const double tilt : {0.0, 0.3, 1.0})
    for (const double ridge : {0.0, 0.1}) {
      Matrix data = test::random_matrix(3000, n, 4);
      data.colwise() += tilt * random_vector(3000, 6);
      const LinearModel model(DenseRows<double>(data), Vector::Ones(3000), SquaredLoss{},
                              Vector::Constant(n, ridge));
      Problem problem(model);
      problem.subject_to(test::random_matrix(2, n, 3), Vector::Constant(2, -1), Vector::Ones(2));
      AutomaticRule rule(problem, 1e4, {}, 1);
      if (rule.regime() != Regime::noisy) continue;
      const auto plan = rule.next(start(problem), std::nullopt, 1e4);
      const Vector& c = plan->scaling.columns;
      Matrix hessian = c.asDiagonal() * (data.transpose() * data / 3000) * c.asDiagonal();
      hessian.diagonal() += ridge * c.cwiseAbs2();
      const double exact = Eigen::SelfAdjointEigenSolver<Matrix>(hessian).eigenvalues().maxCoeff();
      const Stage& stage = plan->stage;
      EXPECT_GT(stage.parameters.mu, exact) << tilt << " " << ridge;
      for (const std::uint64_t t : {std::uint64_t{0}, stage.iterations / 2, stage.iterations - 1}) {
        const Parameters p = stage.at(t);
        EXPECT_LE(p.tau * (plan->curvature + p.rho + p.mu), 1 + 1e-12) << t;
      }
    }
}

// All stages together spend the budget, estimates included; then the rule has nothing more to say.
TEST(AutomaticRule, SpendsItsBudget) {
  for (const Problem& problem : {quadratic(1), quadratic(0), linear_model(true, 2)})
    for (const RuleTraits& traits : {RuleTraits{}, RuleTraits{2, true, 0}}) {
      constexpr double budget = 1e5;
      AutomaticRule rule(problem, budget, traits, 1);
      double spent = 0;
      int stages = 0;
      std::optional<StageReport> report;
      while (const auto plan = rule.next(start(problem), report, budget - spent)) {
        spent += static_cast<double>(plan->gradients) +
                 traits.gradients_per_iteration * static_cast<double>(plan->stage.iterations);
        const Parameters& p = plan->stage.parameters;
        EXPECT_TRUE(p.tau > 0 && p.eta > 0 && p.beta > 0 && p.beta < 1 && p.mu > 0 && p.rho > 0);
        EXPECT_EQ(p.alpha < 1, traits.carries_estimate);
        EXPECT_FALSE(plan->reasons.empty());
        report = StageReport{.residual = std::pow(0.5, stages)};
        ASSERT_LT(++stages, 100);
      }
      EXPECT_NEAR(spent, budget, 0.01 * budget);
    }
}

// A budget smaller than the estimates: one stage, and no more.
TEST(AutomaticRule, StopsWhenTheBudgetIsSpent) {
  const Problem problem = quadratic(1);
  AutomaticRule rule(problem, 30, {}, 1);
  const auto plan = rule.next(start(problem), std::nullopt, 30);
  ASSERT_TRUE(plan);
  EXPECT_FALSE(rule.next(start(problem), StageReport{}, 30 - static_cast<double>(plan->gradients) - 10));
}

// Steps shrink towards the end when there is noise, and never when there is none.
TEST(AutomaticRule, DecaysWithNoiseOnly) {
  for (const double noise : {0.0, 1.0}) {
    const Problem problem = quadratic(noise);
    AutomaticRule rule(problem, 1e5, {}, 1);
    Stage first, last;
    std::optional<StageReport> report;
    for (int k = 0; const auto plan = rule.next(start(problem), report, 1e4); ++k) {
      if (k == 0) first = plan->stage;
      last = plan->stage;
      report = StageReport{.residual = std::pow(0.5, k)};
    }
    const double end = last.at(last.iterations - 1).tau / first.at(0).tau;
    EXPECT_EQ(end<1e-3, noise> 0);
    EXPECT_EQ(end > 0.3, noise == 0);
  }
}

TEST(AutomaticRule, GivenCurvature) {
  const Problem problem = quadratic(1);
  AutomaticRule rule(problem, 1e5, {}, 1, 7.0);
  const auto plan = rule.next(start(problem), std::nullopt, 1e5);
  EXPECT_EQ(plan->curvature, 7);
  EXPECT_EQ(plan->reasons.front().symbol, "L");
  EXPECT_EQ(plan->reasons.front().why, "given");
  EXPECT_DOUBLE_EQ(plan->stage.parameters.tau, 1. / (23 * 7));
}

TEST(AutomaticRule, SmallerStepsAfterABlowUp) {
  for (const Problem& problem : {quadratic(1), linear_model(true, 2)}) {
    AutomaticRule rule(problem, 1e5, {}, 1);
    const double before = rule.next(start(problem), std::nullopt, 1e5)->stage.parameters.tau;
    const auto after = rule.next(start(problem), StageReport{.diverged = true}, 9e4);
    ASSERT_TRUE(after);
    EXPECT_LT(after->stage.parameters.tau, before / 4);
    ASSERT_EQ(after->events.size(), 1U);
    test::expect_contains(after->events.front(), "blew up");
  }
}

// What it remembers fits into an archive: a rule taken up from there goes on the same way.
TEST(AutomaticRule, CanBeTakenUpAgain) {
  for (const Problem& problem : {quadratic(1), linear_model(true, 2)}) {
    AutomaticRule rule(problem, 1e5, {}, 1), copy(problem, 1e5, {}, 1);
    rule.next(start(problem), std::nullopt, 1e5);
    ArchiveWriter writer;
    rule.transfer(writer);
    ArchiveReader reader(writer.bytes());
    copy.transfer(reader);
    const StageReport report{.diverged = true};
    const auto a = rule.next(start(problem), report, 9e4), b = copy.next(start(problem), report, 9e4);
    ASSERT_TRUE(a && b);
    EXPECT_EQ(a->stage.parameters.tau, b->stage.parameters.tau);
    EXPECT_EQ(a->stage.iterations, b->stage.iterations);
    EXPECT_EQ(a->scaling.columns, b->scaling.columns);
  }
}

// Rows seen through draws: the steps are shorter by the weight of a draw, and the reasons say so.
TEST(AutomaticRule, ReasonsOfDrawnRowsAreTheirOwn) {
  const Problem problem = quadratic(1);
  const auto plan =
      AutomaticRule(problem, 1e4, {.draw_weight = 6}, 1).next(start(problem), std::nullopt, 1e4);
  ASSERT_TRUE(plan);
  const auto reason = [&](const std::string& symbol) {
    for (const Reason& one : plan->reasons)
      if (one.symbol == symbol) return one;
    return Reason{symbol, std::nan(""), "there is none"};
  };
  const double L = reason("L").value, w = reason("w").value;
  EXPECT_EQ(plan->scaling.metric, MetricKind::diagonal);
  EXPECT_GE(w, 1);
  EXPECT_EQ(reason("tau").why.find("1/(3 L + rho w)"), 0u) << reason("tau").why;
  EXPECT_EQ(plan->stage.parameters.tau, 1 / (3 * L + 20 * L * w));
  EXPECT_EQ(reason("eta").why, "0.75 (23 L)^2 tau/w");
  EXPECT_EQ(plan->stage.parameters.eta, 0.75 * (23 * L * (23 * L)) * plan->stage.parameters.tau / w);
}

// The form that a plan carries is the one that its curvature was measured in.
TEST(AutomaticRule, PlansCarryTheirForm) {
  for (const Problem& problem : {quadratic(1), linear_model(true, 2)}) {
    const auto plan = AutomaticRule(problem, 1e4, {}, 1).next(start(problem), std::nullopt, 1e4);
    ASSERT_TRUE(plan && plan->form);
    EXPECT_EQ(plan->form->column_scale(), plan->scaling.columns);
  }
}

// So many 0/1 columns of `entries` entries each among 10,000 rows, and before them columns of another unit.
ColumnStatistics zero_one_columns(Index others, double other_entries, double other_magnitude, Index count,
                                  double entries) {
  ColumnStatistics out;
  out.rows = 10'000;
  out.frequency = Vector::Constant(others + count, entries / out.rows);
  out.frequency.head(others).setConstant(other_entries / out.rows);
  out.magnitude = Vector::Ones(others + count);
  out.magnitude.head(others).setConstant(other_magnitude);
  return out;
}

// Of a column with few entries that are a little off, chance is thought of; of one far off, another unit.
TEST(TypicalColumns, KeepTheirUnits) {
  const double usual = typical_columns(zero_one_columns(0, 0, 1, 1000, 4))[0];
  for (const double unit : {1e-6, 1e-4, 1e4, 1e6}) {
    const Vector rare = typical_columns(zero_one_columns(1, 4, unit, 1000, 100));
    EXPECT_NEAR(rare[0] * unit, usual, 1e-9 * usual) << unit;
    const Vector mixed = typical_columns(zero_one_columns(10, 5000, unit, 1000, 2));
    EXPECT_NEAR(mixed[10], usual, 1e-2 * usual) << unit << ": the others are not drawn towards it";
  }
  const Vector off = typical_columns(zero_one_columns(1, 4, 2, 1000, 100));
  EXPECT_GT(2 * off[0], 1.2 * usual);
  EXPECT_LT(off[0], usual);
}

TEST(TypicalColumns, OfDenseDataHaveTheirMagnitudes) {
  ColumnStatistics columns = zero_one_columns(3, 10'000, 1e3, 2, 10'000);
  const Vector out = typical_columns(columns);
  EXPECT_NEAR(out[0], 1e-3, 1e-12);
  EXPECT_NEAR(out[4], 1, 1e-9);
}

TEST(TypicalColumns, WithoutEntriesAreLikeTheOthers) {
  ColumnStatistics columns = zero_one_columns(1, 0, 0, 100, 50);
  columns.magnitude.tail(100).setConstant(1e3);
  const Vector out = typical_columns(columns);
  EXPECT_TRUE(out.allFinite());
  EXPECT_GT(out[0], 1e-3);
  EXPECT_LT(out[0], 1e-2);
}

// Few values whatever the range, each within half a step of the grid, or a whole one where few are alike.
TEST(RoundedColumns, AreFewAndNear) {
  struct Range {
    double octaves, apart;
  };
  for (const auto& [octaves, apart] : {Range{0.6, 1}, Range{3, 1}, Range{12, 1}, Range{40, 2}}) {
    Vector columns = (octaves * std::numbers::ln2 * random_vector(500, 3).array().abs()).exp();
    columns[0] = 1;
    columns = columns.cwiseMin(std::exp2(octaves));
    columns[1] = std::exp2(octaves);
    const Vector rounded = rounded_columns(columns);
    const Vector off = (rounded.array() / columns.array()).log().abs() / std::numbers::ln2;
    EXPECT_LE(off.maxCoeff(), apart + 1e-12);
    const auto far_off = static_cast<double>((off.array() > apart / 2 + 1e-12).count());
    EXPECT_LT(far_off, static_cast<double>(columns.size() - 256) / 64 * (2 + octaves / apart));
    std::set<long> values;
    for (const double c : rounded) values.insert(std::lround(std::log2(c / rounded[0]) / apart));
    EXPECT_LE(static_cast<double>(values.size()), 2 + octaves / apart);
    EXPECT_NEAR(std::log2(rounded[1] / rounded[0]) / apart, std::round(octaves / apart), 1 + 1e-9);
  }
}

// A tenth of an octave, and of 10,000 columns some are five times as far off.
TEST(RoundedColumns, ThatDifferByChanceAreOne) {
  const Vector columns = (0.13 * std::numbers::ln2 * random_vector(10'000, 5).array()).exp();
  ASSERT_GT((columns.array().log().abs() / std::numbers::ln2).maxCoeff(), 0.5);
  const Vector rounded = rounded_columns(columns);
  EXPECT_EQ(rounded.maxCoeff(), rounded.minCoeff());
}

// A few columns that are really different stay so.
TEST(RoundedColumns, ThatAreRareAndFarStayWhereTheyAre) {
  Vector columns = Vector::Ones(1000);
  columns[7] = 16;
  EXPECT_NEAR(std::log2(rounded_columns(columns)[7] / rounded_columns(columns)[0]), 4, 1e-9);
}

// A ridge on a column of tiny numbers must not be stiffer than the loss.
TEST(AutomaticRule, ColumnsHeedTheRidge) {
  Matrix data = test::random_matrix(200, n, 4);
  data.col(2) *= 1e-6;
  constexpr double ridge = 1e-3;
  Problem problem(LinearModel(DenseRows<double>(data), Vector::Ones(200), SquaredLoss{},
                              Vector(Vector::Constant(n, ridge))));
  AutomaticRule rule(problem, 1e5, {}, 1);
  OriginalState start;
  start.x = start.z = Vector::Zero(n);
  const StagePlan plan = rule.next(start, {}, 1e5).value();
  ASSERT_GT(plan.scaling.columns[2], plan.scaling.columns[1]);
  const double rounding = std::exp2(0.5);
  EXPECT_LE(plan.scaling.columns[2],
            std::sqrt(loss_curvature(SquaredLoss{}) / ridge) * rounding * (1 + 1e-12));
}

}  // namespace
}  // namespace bridle
