// Rows that have no variable in common are moved four at a time: the metric they have, which rows are side by
// side, and that the iterate stays the dense one.
#include <gtest/gtest.h>

#include "bridle/algorithms/representations/applicability.hpp"
#include "bridle/algorithms/representations/arrow_metric.hpp"
#include "bridle/algorithms/representations/group_plan.hpp"

#include "tests/algorithms/same_iterates.hpp"

namespace bridle {
namespace {

using test::random_vector;
using test::samples;
using test::start_of;
using test::steps;

constexpr Index columns = 600;

struct Rows {
  std::string name;
  Index pairs = 0, longer = 0;  // rows of two entries, and of five to eight
  Index crossing = 0;           // dense rows
  Index bounded = 0;            // variables of the first rows
  Index bounded_alone = 0;      // variables of no short row
  bool equalities = false;      // every third short row
  bool budget = false;          // a row over the bounded variables of no short row
  Index batch = 1;
  MetricKind metric = MetricKind::cholesky;
  double ridge = 0.1;
};

std::vector<Rows> cases() {
  return {
      {.name = "pairs", .pairs = 80, .crossing = 1},
      {.name = "pairs_alone", .pairs = 81, .ridge = 0},
      {.name = "batches", .pairs = 80, .crossing = 1, .bounded = 7, .batch = 64},
      {.name = "batches_of_longer_rows", .longer = 40, .crossing = 2, .batch = 32, .ridge = 0},
      {.name = "bounds", .pairs = 22, .crossing = 2, .bounded = 30, .bounded_alone = 9, .batch = 3},
      {.name = "signs_and_budget", .crossing = 1, .bounded_alone = 30, .budget = true},
      {.name = "lengths", .pairs = 6, .longer = 31, .crossing = 3, .bounded_alone = 1, .equalities = true},
      {.name = "five_across", .pairs = 12, .longer = 3, .crossing = 5, .bounded = 5, .budget = true},
      {.name = "twelve_across", .pairs = 12, .crossing = 12, .equalities = true},
      {.name = "diagonal_metric", .pairs = 30, .crossing = 2, .metric = MetricKind::diagonal}};
}

// Dense rows first and last, short ones in between, each over variables of its own.
Problem make_problem(const Rows& r) {
  const Vector labels = (random_vector(samples, 2).array() > 0).select(Vector::Ones(samples), -1.0);
  Problem problem(LinearModel(SparseRows(test::random_sparse(samples, columns, 0.03, 1).sparseView()), labels,
                              LogisticLoss{},
                              r.ridge > 0 ? Vector(Vector::Constant(columns, r.ridge)) : Vector()));
  const Index count = r.pairs + r.longer + r.crossing + (r.budget ? 1 : 0);
  Matrix rows = Matrix::Zero(count, columns);
  Vector least = Vector::Constant(count, -infinity), most = Vector::Constant(count, -0.01);
  Index row = 0, variable = 0;
  for (; row < r.crossing / 2; ++row) rows.row(row) = random_vector(columns, 30 + row).transpose();
  for (Index k = 0; k < r.pairs + r.longer; ++k, ++row) {
    const Index entries = k < r.pairs ? 2 : 5 + k % 4;
    rows.row(row).segment(variable, entries) = random_vector(entries, 100 + k).transpose();
    if (r.equalities && k % 3 == 0) least[row] = -0.01;
    variable += entries;
  }
  for (; row < count - (r.budget ? 1 : 0); ++row)
    rows.row(row) = random_vector(columns, 30 + row).transpose();
  Vector lower = Vector::Constant(columns, -infinity);
  lower.head(r.bounded).setConstant(-0.01);
  lower.tail(r.bounded_alone).setConstant(-0.02);
  if (r.budget) rows.row(row).tail(r.bounded_alone).setOnes();
  if (r.budget && r.bounded_alone == 0) rows.row(row).head(r.bounded).setOnes();
  problem.subject_to(rows, least, most);
  if (r.bounded + r.bounded_alone > 0) problem.within(Box(lower, Vector::Constant(columns, infinity)));
  return problem;
}

Scaling scaling_of(const Rows& r) {
  Scaling out;
  out.columns = test::columns_of(columns, r.ridge > 0);
  out.metric = r.metric;
  return out;
}

std::optional<GroupPlan> plan_of(const StandardForm& form) {
  const auto classes = stage_modes(form, {steps, {Decay::cosine}, 2000});
  return GroupPlan::of(form, split_of(form, *classes, *form.variable_bounds(), start_of(form).z));
}

class RowGroupsTest : public testing::TestWithParam<Rows> {};
INSTANTIATE_TEST_SUITE_P(Cases, RowGroupsTest, testing::ValuesIn(cases()),
                         [](const auto& test) { return test.param.name; });

TEST_P(RowGroupsTest, AreTheDenseIterate) {
  const Problem problem = make_problem(GetParam());
  const StandardForm form(problem, scaling_of(GetParam()));
  ASSERT_TRUE(plan_of(form));
  const Stage stage{steps, {Decay::cosine}, 2000};
  const auto choice = test::choice_for("smoothed", form, stage);
  ASSERT_EQ(choice.representation->name, "lazy") << choice.why;
  test::expect_the_dense_iterate(form, stage, *choice.representation, GetParam().batch);
}

TEST_P(RowGroupsTest, HaveTheMetricOfTheRows) {
  const Problem problem = make_problem(GetParam());
  const StandardForm form(problem, scaling_of(GetParam()));
  const auto plan = plan_of(form);
  ASSERT_TRUE(plan);
  const auto metric = ArrowMetric::of(form, plan->grouped, plan->others);
  ASSERT_TRUE(metric);
  const Vector r = random_vector(form.rows(), 5);
  Vector expected = r, scratch(form.rows());
  form.metric().apply(expected, scratch);
  const Vector of_others = metric->corner * (r(plan->others) - metric->arms * r(plan->grouped));
  const Vector of_grouped =
      metric->inverse.cwiseProduct(r(plan->grouped)) - metric->arms.transpose() * of_others;
  EXPECT_LE((of_others - expected(plan->others)).norm(), 1e-12 * expected.norm());
  EXPECT_LE((of_grouped - expected(plan->grouped)).norm(), 1e-12 * expected.norm());
}

// Every row and every variable of the block is somewhere once.
TEST(GroupPlan, HasEveryRowAndVariableOnce) {
  for (const Rows& rows : cases()) {
    const Problem problem = make_problem(rows);
    const StandardForm form(problem, scaling_of(rows));
    const auto plan = plan_of(form);
    ASSERT_TRUE(plan) << rows.name;
    EXPECT_EQ(plan->grouped.size() + plan->others.size(), static_cast<std::size_t>(form.rows()));
    std::vector<int> seen(columns);
    for (const RowGroup& group : plan->groups)
      for (const auto& four : group.variables)
        for (const Index j : four)
          if (j != RowGroup::none) ++seen[static_cast<std::size_t>(j)];
    const auto classes = stage_modes(form, {steps, {Decay::cosine}, 2000});
    const Split split = split_of(form, *classes, *form.variable_bounds(), start_of(form).z);
    for (Index j = 0; j < columns; ++j)
      EXPECT_EQ(seen[static_cast<std::size_t>(j)], split.place_of(j) >= 0 ? 1 : 0) << rows.name;
  }
}

TEST(GroupPlan, MakesGroupsOfPairsAndLeavesLongRowsOut) {
  const Problem pairs = make_problem({.name = "", .pairs = 80, .crossing = 2});
  const auto plan = plan_of(StandardForm(pairs, {}));
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->others, (std::vector<Index>{0, 81}));
  EXPECT_EQ(plan->crossing.size(), 2U);
  EXPECT_EQ(plan->groups.size(), 20U);
  // A budget over 30 variables has no neighbours of its length: its variables are a group without rows.
  const Problem budget = make_problem({.name = "", .crossing = 1, .bounded_alone = 30, .budget = true});
  const auto alone = plan_of(StandardForm(budget, {}));
  ASSERT_TRUE(alone);
  EXPECT_TRUE(alone->grouped.empty());
  EXPECT_EQ(alone->groups.size(), 1U);
}

TEST(GroupPlan, IsForRowsThatHaveLittleInCommon) {
  const Problem problem = test::make_problem({.name = "", .short_rows = 70});
  const StandardForm form(problem, {});
  EXPECT_FALSE(plan_of(form));
}

}  // namespace
}  // namespace bridle
