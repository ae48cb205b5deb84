// The lazy and the fused iterate are the dense one, stored differently: agreement to rounding over thousands
// of steps, through rescalings; and the cases in which they must not be chosen.
#include <gtest/gtest.h>

#include "bridle/algorithms/registry.hpp"
#include "bridle/algorithms/representations/arrow_metric.hpp"
#include "bridle/core/formatted.hpp"
#include "bridle/params/automatic.hpp"
#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/problem/objectives/quadratic.hpp"
#include "bridle/problem/rows/data_rows.hpp"
#include "bridle/problem/sets/sets.hpp"

#include "tests/properties.hpp"

namespace bridle {
namespace {

using test::random_vector;

constexpr Index n = 80, samples = 120;
constexpr Parameters steps{.tau = 0.1, .eta = 0.3, .beta = 0.2, .mu = 2, .rho = 1};

struct Case {
  std::string name;
  Loss loss = LogisticDifferenceLoss{};
  double ridge = 0;
  bool bounds = false;  // on the variables that are in no row
  bool scaled = true;
  Index batch = 1;
  Parameters parameters = steps;
  Index bounded_in_rows = 0;  // the first ones
  Index short_rows = 0;       // over the first 40 variables
};

std::vector<Case> cases() {
  Parameters without_smoothing = steps, slow = steps, short_steps = steps;
  short_steps.tau = 1e-3;  // v remembers 300 steps, and the rounding of its last byte with them
  short_steps.beta = 2e-3;
  without_smoothing.mu = 0;
  slow.beta = 0.001;
  return {{"plain"},
          {.name = "unscaled", .scaled = false},
          {.name = "ridge", .ridge = 0.3, .scaled = false},
          {.name = "bounds", .bounds = true},
          {.name = "bounds_and_ridge", .ridge = 0.3, .bounds = true, .scaled = false},
          {.name = "batch", .bounds = true, .batch = 3},
          {.name = "squared", .loss = SquaredLoss{}},
          {.name = "without_smoothing", .parameters = without_smoothing},
          {.name = "slow_smoothing", .parameters = slow},
          {.name = "short_steps", .ridge = 0.3, .scaled = false, .parameters = short_steps},
          {.name = "ridge_classes", .ridge = 0.3},
          {.name = "ridge_classes_and_bounds", .ridge = 0.3, .bounds = true, .batch = 3},
          {.name = "ridge_classes_and_short_steps", .ridge = 0.3, .parameters = short_steps},
          {.name = "bounds_in_rows", .bounds = true, .bounded_in_rows = 21},
          {.name = "bounds_in_rows_and_ridge_classes", .ridge = 0.3, .batch = 3, .bounded_in_rows = 40},
          {.name = "short_rows", .short_rows = 20},
          {.name = "many_short_rows", .ridge = 0.3, .bounds = true, .bounded_in_rows = 11, .short_rows = 70}};
}

// Five rows over the first 60 variables, two of them equalities, and short ones.
Problem make_problem(const Case& c) {
  Matrix data = test::random_sparse(samples, n, 0.1, 1);
  const Vector labels = (random_vector(samples, 2).array() > 0).select(Vector::Ones(samples), -1.0);
  Problem problem(LinearModel(SparseRows(data.sparseView()), labels, c.loss,
                              c.ridge > 0 ? Vector(Vector::Constant(n, c.ridge)) : Vector()));
  Matrix rows = Matrix::Zero(5 + c.short_rows, n);
  rows.topLeftCorner(5, 60) = test::random_matrix(5, 60, 3);
  Vector least = Vector::Constant(rows.rows(), -infinity), most = Vector::Constant(rows.rows(), 0.01);
  least.head(5) = test::vec(0.5, -1, -infinity, 0.1, -0.2);
  most.head(5) = test::vec(0.5, 1, 0.2, infinity, -0.2);
  for (Index k = 0; k < c.short_rows; ++k) {
    rows(5 + k, k % 40) = 1;
    rows(5 + k, (k + 1 + k / 40) % 40) = -1;
  }
  problem.subject_to(rows, least, most);
  Vector lower = Vector::Constant(n, -infinity), upper = -lower;
  if (c.bounds) {
    lower.tail(15).setConstant(-0.05);
    upper.tail(10).setConstant(0.02);
  }
  lower.head(c.bounded_in_rows).setConstant(-0.02);
  upper.head(c.bounded_in_rows / 2).setConstant(0.03);
  if (c.bounds || c.bounded_in_rows > 0) problem.within(Box(lower, upper));
  return problem;
}

// As the rule's: of few different values where there is a ridge.
Vector columns_of(Index count, bool with_ridge) {
  const Vector columns = random_vector(count, 4, 0.3).array().exp();
  return with_ridge ? rounded_columns(columns) : columns;
}

Scaling scaling_of(const Case& c) {
  Scaling out;
  if (c.scaled) out.columns = columns_of(n, c.ridge > 0);
  return out;
}

Iterate start_of(const StandardForm& form) {
  Iterate out;
  out.x = 0.01 * random_vector(form.dimension(), 5);
  form.project(out.x);
  out.z = 0.5 * out.x;
  out.y = random_vector(form.rows(), 6);
  return out;
}

// The representation that is chosen, and why.
RepresentationChoice choice_for(std::string_view algorithm, const StandardForm& form, const Stage& stage) {
  return find_algorithm(algorithm)->choose(form, stage, start_of(form));
}

// Runs the dense representation, another one, and that again without settling in between.
void expect_the_dense_iterate(const StandardForm& form, const Stage& stage, const Representation& cheaper,
                              Index batch, std::string_view name = "smoothed", double dual_bound = infinity) {
  const Iterate start = start_of(form);
  const MethodSettings settings{.batch = batch, .dual_bound = dual_bound};
  const auto dense = find_algorithm(name)->plain().create(form, stage, start, settings);
  const auto cheap = cheaper.create(form, stage, start, settings);
  const auto once = cheaper.create(form, stage, start, settings);
  const auto compare = [&](const Iterate& a) {
    const Iterate b = dense->snapshot();
    EXPECT_LE((a.x - b.x).norm(), 1e-12 * (1 + b.x.norm()));
    EXPECT_LE((a.z - b.z).norm(), 1e-12 * (1 + b.z.norm()));
    EXPECT_LE((a.y - b.y).norm(), 1e-12 * (1 + b.y.norm()));
    EXPECT_EQ(a.draws, b.draws);
    EXPECT_EQ(a.resets, b.resets);
    ASSERT_EQ(a.estimate.size(), b.estimate.size());
    EXPECT_LE((a.estimate - b.estimate).norm(), 1e-12 * (1 + b.estimate.norm()));
  };
  Iterate written;
  for (std::uint64_t t = 0; t < stage.iterations; t += 500) {
    for (const auto& method : {dense.get(), cheap.get(), once.get()}) method->run(stage, t, 500);
    compare(cheap->snapshot());
    cheap->settle(written);
    compare(written);
  }
  compare(once->snapshot());  // lazy: phi fell below its smallest value several times
  EXPECT_GT((dense->snapshot().x - start.x).norm(), 1e-2) << "nothing moved";
  EXPECT_EQ(dense->snapshot().resets > 0, dual_bound < infinity) << "the safeguard had nothing to do";
}

class LazyTest : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Cases, LazyTest, testing::ValuesIn(cases()),
                         [](const auto& test) { return test.param.name; });

TEST_P(LazyTest, IsTheDenseIterate) {
  const Problem problem = make_problem(GetParam());
  const StandardForm form(problem, scaling_of(GetParam()));
  const Stage stage{GetParam().parameters, {Decay::cosine}, 6000};
  const auto choice = choice_for("smoothed", form, stage);
  ASSERT_EQ(choice.representation->name, "lazy") << choice.why;
  expect_the_dense_iterate(form, stage, *choice.representation, GetParam().batch);

  // Taken up again, a run gets the same representation.
  const auto method = choice.representation->create(form, stage, start_of(form), {});
  method->run(stage, 0, 1000);
  Iterate written;
  method->settle(written);
  const auto again = find_algorithm("smoothed")->choose(form, stage, written);
  EXPECT_EQ(again.representation->name, "lazy") << again.why;
}

// So quick a decay that phi is rescaled more often than there are marks; with a ridge, at different times in
// different classes.
void expect_marks_to_be_used_up(double ridge) {
  Case quick{.name = "quick", .ridge = ridge};
  quick.parameters.beta = 0.7;  // with tau mu = 0.2 a step leaves a tenth of v
  const Problem problem = make_problem(quick);
  const StandardForm form(problem, scaling_of(quick));
  const double rescaling = 400 * std::log(2) / std::log(10);  // steps
  const Stage stage{
      quick.parameters, {Decay::constant}, 500 * static_cast<std::uint64_t>(rescaling * 260 / 500)};
  const auto choice = choice_for("smoothed", form, stage);
  ASSERT_EQ(choice.representation->name, "lazy") << choice.why;
  const auto dense = find_algorithm("smoothed")->plain().create(form, stage, start_of(form), {});
  const auto lazy = choice.representation->create(form, stage, start_of(form), {});
  dense->run(stage, 0, stage.iterations);
  lazy->run(stage, 0, stage.iterations);
  const Iterate a = lazy->snapshot(), b = dense->snapshot();
  EXPECT_LE((a.x - b.x).norm(), 1e-12 * (1 + b.x.norm()));
  EXPECT_LE((a.z - b.z).norm(), 1e-12 * (1 + b.z.norm()));
}

TEST(Lazy, MarksAreUsedUp) {
  expect_marks_to_be_used_up(0);
  expect_marks_to_be_used_up(0.02);
}

TEST_P(LazyTest, FusedIsTheDenseIterateToo) {
  if (GetParam().short_rows > 0) return;  // it is for few rows
  const Problem problem = make_problem(GetParam());
  const StandardForm form(problem, scaling_of(GetParam()));
  expect_the_dense_iterate(form, {GetParam().parameters, {Decay::cosine}, 2000},
                           *find_algorithm("smoothed")->find_representation("fused"), GetParam().batch);
}

// Monotone pairs and two rows over everything: the metric of the rows is an arrow.
TEST(Lazy, BearsManyRowsThatHaveNothingInCommon) {
  constexpr Index columns = 400, pairs = 80;
  const Vector labels = (random_vector(samples, 2).array() > 0).select(Vector::Ones(samples), -1.0);
  Problem problem(LinearModel(SparseRows(test::random_sparse(samples, columns, 0.03, 1).sparseView()), labels,
                              LogisticLoss{}, Vector(Vector::Constant(columns, 0.1))));
  Matrix rows = Matrix::Zero(pairs + 2, columns);
  rows.row(7) = random_vector(columns, 3).transpose();
  rows.row(pairs + 1) = random_vector(columns, 4).transpose();
  for (Index k = 0, row = 0; k < pairs; ++k, ++row) {
    row += row == 7;
    rows(row, 2 * k) = 1;
    rows(row, 2 * k + 1) = -1;
  }
  problem.subject_to(rows, Vector::Constant(pairs + 2, -infinity), Vector::Constant(pairs + 2, -0.01));
  Scaling scaling;
  scaling.columns = columns_of(columns, true);
  const StandardForm form(problem, scaling);
  const auto arrow = ArrowMetric::of(form);
  ASSERT_TRUE(arrow);
  const LaneVector r(random_vector(form.rows(), 5));
  LaneVector found(form.rows());
  arrow->apply(r.data(), found.data());
  Vector expected = r.values(), scratch(form.rows());
  form.metric().apply(expected, scratch);
  EXPECT_LE((found.values() - expected).norm(), 1e-12 * expected.norm());

  const Stage stage{steps, {Decay::cosine}, 2000};
  const auto choice = choice_for("smoothed", form, stage);
  ASSERT_EQ(choice.representation->name, "lazy") << choice.why;
  expect_the_dense_iterate(form, stage, *choice.representation, 1);
}

TEST(ArrowMetric, IsForRowsThatHaveNothingInCommon) {
  const Problem problem = make_problem({.name = "", .short_rows = 70});
  EXPECT_FALSE(ArrowMetric::of(StandardForm(problem, {})));
}

// One-hot data, as tables have it, is taken without its zeros.
TEST(Lazy, TakesDenseDataThatIsMostlyZeros) {
  Matrix data = Matrix::Zero(samples, n);
  for (Index i = 0; i < samples; ++i)
    for (Index k = 0; k < 8; ++k) data(i, 10 * k + (i * (k + 3) + i / 7) % 10) = 1;
  const Vector labels = (random_vector(samples, 2).array() > 0).select(Vector::Ones(samples), -1.0);
  const auto check = [&](const Features& features) {
    Problem problem(LinearModel(features, labels, LogisticLoss{}, Vector(Vector::Constant(n, 0.01))));
    problem.subject_to(test::random_matrix(2, n, 3), test::vec(-0.1, 0), test::vec(0.1, 0));
    Scaling scaling;
    scaling.columns = columns_of(n, true);
    const StandardForm form(problem, scaling);
    const Stage stage{steps, {Decay::cosine}, 2000};
    const auto choice = choice_for("smoothed", form, stage);
    ASSERT_EQ(choice.representation->name, "lazy") << choice.why;
    EXPECT_EQ(choice.touched, 8);
    expect_the_dense_iterate(form, stage, *choice.representation, 1);
  };
  check(DenseRows<double>(data));
  check(DenseRows<float>(data.cast<float>()));
}

// All storages and numbers of rows, numbers of variables that fill no whole lanes (with 3 of them the last
// rows of the data are too near its end to be read in lanes), ridge and bounds everywhere.
template <class Data>
class FusedTest : public testing::Test {};
using Storages = testing::Types<DenseRows<double>, DenseRows<float>, SparseRows>;
TYPED_TEST_SUITE(FusedTest, Storages);

template <class Data>
void expect_fused_is_dense(Index width, std::initializer_list<Index> row_counts) {
  const Matrix data = test::random_sparse(samples, width, width < 8 ? 1 : 0.3, 1);
  const Vector labels = (random_vector(samples, 2).array() > 0).select(Vector::Ones(samples), -1.0);
  const Vector ridge = random_vector(width, 7).cwiseAbs();
  const auto model = [&] {
    if constexpr (std::is_same_v<Data, SparseRows>)
      return LinearModel(SparseRows(data.sparseView()), labels, LogisticLoss{}, ridge);
    else
      return LinearModel(Data(data.cast<typename Data::Scalar>()), labels, LogisticLoss{}, ridge);
  }();
  for (const Index m : row_counts)
    for (const Index batch : {1, 2}) {
      Problem problem(model);
      problem.within(Box(Vector::Constant(width, -0.2), Vector::Constant(width, 0.1)));
      const Vector upper = random_vector(m, 8).cwiseAbs();
      if (m > 0) problem.subject_to(test::random_matrix(m, width, 9), -upper, upper);
      Scaling scaling;
      scaling.columns = random_vector(width, 4, 0.3).array().exp();
      const StandardForm form(problem, scaling);
      const Stage stage{steps, {Decay::cosine}, 1000};
      const auto* fused = find_algorithm("smoothed")->find_representation("fused");
      ASSERT_EQ(fused->applies(form, stage, start_of(form)).against, "");
      expect_the_dense_iterate(form, stage, *fused, batch);
    }
}

TYPED_TEST(FusedTest, IsTheDenseIterate) {
  expect_fused_is_dense<TypeParam>(21, {0, 1, 2, 3, 5, 7, 10, 11, 16});
  expect_fused_is_dense<TypeParam>(3, {0, 1, 2});
}

// Algorithm 3: the estimate is carried along. Its decay alpha is slower than that of v and quicker, and phi
// of all three is rescaled.
TEST(LazyStorm, IsTheDenseIterate) {
  for (const double alpha : {0.024, 0.3, 0.9})
    for (const auto& [ridge, scaled] : {std::pair{0.0, true}, {0.3, false}, {0.3, true}})
      for (const Index batch : {1, 3}) {
        Case c{.name = "", .ridge = ridge, .scaled = scaled, .batch = batch};
        const Problem problem = make_problem(c);
        const StandardForm form(problem, scaling_of(c));
        Stage stage{steps, {Decay::cosine}, 6000};
        stage.parameters.alpha = alpha;
        const auto choice = choice_for("storm", form, stage);
        ASSERT_EQ(choice.representation->name, "lazy") << choice.why;
        expect_the_dense_iterate(form, stage, *choice.representation, batch, "storm");
      }
}

// Algorithm 2: rows that are sampled, whose A'y is carried along, and rows that are means over the data; with
// a safeguard that sets y to 0 now and then.
TEST(LazySampled, IsTheDenseIterate) {
  for (const bool known : {true, false})
    for (const auto& [ridge, scaled] : {std::pair{0.0, true}, {0.3, false}, {0.3, true}})
      for (const double dual_bound : {double{infinity}, 1.5}) {
        const Index columns = 2000;
        auto features = std::make_shared<const Features>(
            SparseRows(test::random_sparse(samples, columns, 0.005, 1).sparseView()));
        const Vector labels = (random_vector(samples, 2).array() > 0).select(Vector::Ones(samples), -1.0);
        Problem problem(LinearModel(*features, labels, LogisticLoss{},
                                    ridge > 0 ? Vector(Vector::Constant(columns, ridge)) : Vector()));
        if (known) {
          const Matrix rows = test::random_sparse(90, columns, 0.005, 3);
          problem.subject_to(rows, Vector::Constant(90, -0.1), Vector::Constant(90, 0.1));
        } else {
          const Vector width = test::vec(0.1, 0.2, 0);
          problem.subject_to_expected(DataRows(features, test::random_matrix(samples, 3, 4), 2), -width,
                                      width);
        }
        Scaling scaling;
        if (scaled) scaling.columns = columns_of(columns, ridge > 0);
        scaling.metric = MetricKind::diagonal;
        const StandardForm form(problem, scaling);
        const Stage stage{
            {.tau = 0.05, .eta = 0.05, .beta = 0.1, .mu = 1, .rho = 0.5}, {Decay::cosine}, 4000};
        const auto choice = choice_for("safeguarded", form, stage);
        ASSERT_EQ(choice.representation->name, "lazy") << choice.why;
        expect_the_dense_iterate(form, stage, *choice.representation, 2, "safeguarded", dual_bound);
      }
}

// The whole line, as reports and docs quote it.
TEST(RepresentationChoice, SaysWhyNotACheaperOne) {
  const Stage stage{steps, {}, 100};
  const auto why = [&](const Case& c, const Stage& of, std::string_view algorithm = "smoothed") {
    const Problem problem = make_problem(c);
    const StandardForm form(problem, scaling_of(c));
    return choice_for(algorithm, form, of).why;
  };
  EXPECT_EQ(why({""}, stage), "lazy iterate: a step touches the sample's nonzeros only");
  EXPECT_EQ(why({.name = "", .ridge = 0.1}, stage),
            "lazy iterate: a step touches the sample's nonzeros only");
  Scaling all_different;
  all_different.columns = columns_of(n, false);
  EXPECT_EQ(
      choice_for("smoothed", StandardForm(make_problem({.name = "", .ridge = 0.1}), all_different), stage)
          .why,
      "fused iterate: one pass over all variables; not lazy: the ridge takes more than 64 values on the "
      "scaled variables");
  Stage long_steps = stage, fixed_z = stage;
  long_steps.parameters.tau = 0.8;
  fixed_z.parameters.beta = 0;
  for (const Stage& of : {long_steps, fixed_z})
    EXPECT_EQ(
        why({""}, of),
        "fused iterate: one pass over all variables; not lazy: beta is not in proportion to tau, or the "
        "steps are too long");

  Stage estimating = stage, nearly_no_estimate = stage;
  estimating.parameters.alpha = 0.3;
  nearly_no_estimate.parameters.alpha = 1e-6;  // x would be a small difference of large numbers
  EXPECT_EQ(why({""}, estimating, "storm"),
            "lazy iterate: a step touches the nonzeros of what is drawn only");
  EXPECT_EQ(why({""}, nearly_no_estimate, "storm"),
            "dense iterate: passes over all variables; not lazy: two of the rates nearly agree");

  Problem bounded = make_problem({""});
  bounded.within(Box(Vector::Constant(n, -1), Vector::Constant(n, 1)));
  EXPECT_EQ(choice_for("smoothed", StandardForm(bounded, {}), stage).why,
            "fused iterate: one pass over all variables; not lazy: every step would touch 60 bounded "
            "variables that "
            "rows, ridge or z push");
  EXPECT_EQ(why({.name = "", .bounded_in_rows = 9, .short_rows = 20}, stage),
            "lazy iterate: a step touches the sample's nonzeros only, but for 9 bounded variables that rows, "
            "ridge or z push, and 12 variables of short rows");

  Problem simplex = make_problem({""});
  simplex.within(Simplex(n));
  EXPECT_EQ(choice_for("smoothed", StandardForm(simplex, {}), stage).why,
            "dense iterate: X is no box; not lazy: X is no box");
}

TEST(RepresentationChoice, WarnsOfStepsThatCostMuchMoreThanTheSample) {
  constexpr Index columns = 2000;
  const SparseRows data = test::random_sparse(samples, columns, 0.005, 1).sparseView();
  const double nonzeros = static_cast<double>(data.nonZeros()) / samples;
  Problem problem(LinearModel(data, Vector::Ones(samples), LogisticLoss{}));
  problem.subject_to(Matrix::Ones(1, columns), test::vec(-1), test::vec(1));
  const Stage stage{steps, {}, 100};
  EXPECT_EQ(choice_for("smoothed", StandardForm(problem, {}), stage).warning, "");
  Vector lower = Vector::Constant(columns, -infinity), upper = Vector::Constant(columns, infinity);
  lower.head(300).setZero();
  problem.within(Box(lower, upper));
  EXPECT_EQ(choice_for("smoothed", StandardForm(problem, {}), stage).warning,
            formatted("a step touches %.0f numbers, where a sample has %.3g: 300 bounded variables that "
                      "rows, ridge or z push",
                      300 + nonzeros, nonzeros));
  problem.within(Box(Vector::Zero(columns), upper));
  EXPECT_EQ(
      choice_for("smoothed", StandardForm(problem, {}), stage).warning,
      formatted("a step touches 2000 numbers, where a sample has %.3g: every step would touch 2000 bounded "
                "variables that rows, ridge or z push",
                nonzeros));
}

TEST(RepresentationChoice, SaysNothingWhereThereIsNoChoice) {
  const Stage stage{steps, {}, 100};
  Problem quadratic(Quadratic(test::sparse(Matrix::Identity(n, n)), random_vector(n, 2)));
  const StandardForm form(quadratic, {});
  for (const auto& algorithm : all_algorithms()) {
    const auto choice = choice_for(algorithm.name, form, stage);
    EXPECT_EQ(choice.representation, &algorithm.plain());
    EXPECT_EQ(choice.why, "");
  }
}

}  // namespace
}  // namespace bridle
