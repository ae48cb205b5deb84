// The lazy and the fused iterate are the dense one, stored differently: agreement to rounding over thousands
// of steps, through rescalings.
#include <set>

#include <gtest/gtest.h>

#include "bridle/algorithms/registry.hpp"
#include "bridle/core/formatted.hpp"
#include "bridle/params/automatic.hpp"
#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/problem/objectives/quadratic.hpp"
#include "bridle/problem/rows/data_rows.hpp"
#include "bridle/problem/sets/sets.hpp"

#include "tests/algorithms/linear_case.hpp"
#include "tests/algorithms/same_iterates.hpp"

namespace bridle {
namespace {

using test::Case;
using test::choice_for;
using test::columns_of;
using test::expect_the_dense_iterate;
using test::make_problem;
using test::n;
using test::random_vector;
using test::samples;
using test::scaling_of;
using test::start_of;
using test::steps;

std::vector<Case> cases() {
  Parameters without_smoothing = steps, slow = steps, short_steps = steps;
  short_steps.tau = 1e-3;  // v remembers 300 steps, and the rounding of its last byte with them
  short_steps.beta = 2e-3;
  without_smoothing.mu = 0;
  slow.beta = 0.001;
  return {
      {"plain"},
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
      {.name = "many_ridge_classes", .ridge = 0.3, .parameters = short_steps, .spread = 0.8, .density = 0.2},
      {.name = "many_ridge_classes_few_nonzeros", .ridge = 0.3, .parameters = short_steps, .spread = 0.8},
      {.name = "bounds_in_rows", .bounds = true, .bounded_in_rows = 21},
      {.name = "bounds_in_rows_and_ridge_classes", .ridge = 0.3, .batch = 3, .bounded_in_rows = 40},
      {.name = "bounds_away_from_zero", .ridge = 0.3, .away_from_zero = true},
      {.name = "short_rows", .short_rows = 20},
      {.name = "batch_beyond_lanes", .ridge = 0.3, .batch = 70},  // slopes of 64 samples at once, and of 6
      {.name = "short_rows_and_batches", .ridge = 0.3, .batch = 32, .short_rows = 20},
      {.name = "many_short_rows", .ridge = 0.3, .bounds = true, .bounded_in_rows = 11, .short_rows = 70}};
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

TEST(LazyCases, ManyRidgeClassesAreMoreThanAPack) {
  const Vector columns = columns_of(n, true, 0.8);
  EXPECT_GT(std::set<double>(columns.begin(), columns.end()).size(), 4u);
}

// A short loop has its samples made ready a few at a time, a long one all at once, by threads, and one that
// turns out to be long has them so from then on: the same bits.
TEST_P(LazyTest, SamplesAreTheSameHoweverTheyAreMadeReady) {
  const Problem problem = make_problem(GetParam());
  const StandardForm form(problem, scaling_of(GetParam()));
  const Stage stage{GetParam().parameters, {Decay::cosine}, 3000};  // times the batch, many times the samples
  Stage looks_short = stage;
  looks_short.iterations = static_cast<std::uint64_t>(samples / GetParam().batch);
  for (const char* algorithm : {"smoothed", "storm", "safeguarded"}) {
    const Representation* lazy = find_algorithm(algorithm)->find_representation("lazy");
    if (!lazy->applies(form, stage, start_of(form)).against.empty()) continue;
    MethodSettings settings;
    settings.batch = GetParam().batch;
    const auto all = lazy->create(form, stage, start_of(form), settings),
               few = lazy->create(form, looks_short, start_of(form), settings),
               turned = lazy->create(form, looks_short, start_of(form), settings);
    for (const auto& [first, count] : {std::pair{0, 1}, {1, 1100}, {1101, 299}}) {
      all->run(stage, static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(count));
      few->run(stage, static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(count));
      turned->run(stage, static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(count));
      turned->expect(stage.iterations);
      const Iterate a = all->snapshot();
      for (const Iterate& b : {few->snapshot(), turned->snapshot()}) {
        EXPECT_EQ(a.x, b.x) << algorithm << " after " << first + count;
        EXPECT_EQ(a.z, b.z) << algorithm;
        EXPECT_EQ(a.draws, b.draws) << algorithm;
      }
    }
  }
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

}  // namespace
}  // namespace bridle
