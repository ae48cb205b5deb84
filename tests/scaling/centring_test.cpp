#include "bridle/scaling/centring.hpp"

#include <gtest/gtest.h>

#include "bridle/core/random.hpp"
#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/problem/sets/sets.hpp"

#include "tests/properties.hpp"

namespace bridle {
namespace {

using test::vec;

constexpr Index samples = 40;

// A number around 5, one around 0, a rare mark, a common mark, a number that is often absent, the intercept.
DenseRows<double> table() {
  DenseRows<double> out(samples, 6);
  const Stream random(3, Purpose::generator);
  Vector a(samples), b(samples), c(samples);
  random.fill_normal(a, 1);
  random.fill_normal(b, 2);
  random.fill_normal(c, 3);
  for (Index i = 0; i < samples; ++i)
    out.row(i) << 5 + a[i], b[i], i % 7 == 0, i % 4 != 0, (i % 3 != 0 ? 8 + c[i] : 0), 2;
  return out;
}

Problem problem_on(Features features, const AnySet& set, const Vector& ridge, bool with_rows) {
  Vector labels(samples);
  for (Index i = 0; i < samples; ++i) labels[i] = i % 3 == 0 ? 1 : -1;
  Problem problem{LinearModel(std::move(features), labels, LogisticLoss{}, ridge)};
  problem.within(set);
  Matrix rows(2, 6);
  rows << 1, -1, 0, 2, 1, 0, 0, 1, 1, 0, 0, 3;
  if (with_rows) problem.subject_to(rows, vec(-1, 0), vec(1, 0));
  return problem;
}

const Vector ridge = vec(0.1, 0.1, 0.1, 0.1, 0.1, 0);

TEST(Centring, IsTheSameProblemInOtherVariables) {
  for (const bool sparse : {false, true})
    for (const bool with_rows : {false, true}) {
      Features features = sparse ? Features(SparseRows(table().sparseView())) : Features(table());
      const Problem problem = problem_on(std::move(features), WholeSpace(6), ridge, with_rows);
      const auto centring = Centring::of(problem);
      ASSERT_TRUE(centring);
      const Problem& centred = centring->problem();
      EXPECT_EQ(centred.objective().as_linear_model()->features().sparse(), sparse);
      const Vector v = vec(0.3, -0.2, 0.5, 0.1, -0.4, 0.7);
      Vector x = v;
      centring->to_user(x);
      EXPECT_EQ(x.head(5), v.head(5));
      EXPECT_NEAR(*centred.objective().mean_value(v), *problem.objective().mean_value(x), 1e-14);
      test::expect_near(centred.rows().matrix * v, problem.rows().matrix * x, 1e-14);
      // Means are gone where a column varies around one, and marks are left alone.
      Vector means = Vector::Zero(6);
      for (Index i = 0; i < samples; ++i)
        centred.objective().as_linear_model()->features().add_row(i, 1.0 / samples, means);
      EXPECT_NEAR(means[0], 0, 1e-13);
      EXPECT_NEAR(means[4], 0, 1e-13);
      EXPECT_DOUBLE_EQ(means[2], 6.0 / samples);
      EXPECT_DOUBLE_EQ(means[3], 30.0 / samples);
    }
}

TEST(Centring, TheStartIsTheUsers) {
  Problem problem = problem_on(table(), WholeSpace(6), ridge, true);
  problem.start_from(vec(1, 2, 3, 4, 5, 6));
  const auto centring = Centring::of(problem);
  ASSERT_TRUE(centring);
  Vector start = centring->problem().starting_point();
  centring->to_user(start);
  test::expect_near(start, vec(1, 2, 3, 4, 5, 6), 1e-13);
}

TEST(Centring, NeedsAFreeIntercept) {
  EXPECT_FALSE(Centring::of(problem_on(table(), WholeSpace(6), Vector::Constant(6, 0.1), true)));
  EXPECT_FALSE(Centring::of(
      problem_on(table(), Box(Vector::Constant(6, -1.0), Vector::Constant(6, 1.0)), ridge, true)));
  DenseRows<double> without = table();
  without.col(5).setZero();
  EXPECT_FALSE(Centring::of(problem_on(without, WholeSpace(6), ridge, true)));
  EXPECT_FALSE(Centring::of(problem_on(DenseRows<float>(table().cast<float>()), WholeSpace(6), ridge, true)));
}

// As a dense matrix the correction of these rows would take 80 GB.
TEST(Centring, ManyRowsOverManyColumnsStaySparse) {
  constexpr Index n = 100'000, m = 100'000;
  SparseRows features(2, n);
  for (Index i = 0; i < 2; ++i) {
    features.insert(i, 0) = 5 + static_cast<double>(i);
    features.insert(i, n - 1) = 1;
  }
  std::vector<Eigen::Triplet<double>> entries;
  for (Index i = 0; i < m; ++i) {
    entries.emplace_back(i, i % (n - 1), 1);
    entries.emplace_back(i, n - 1, 2);
  }
  SparseRows rows(m, n);
  rows.setFromTriplets(entries.begin(), entries.end());
  Problem problem{LinearModel(Features(features), vec(1, -1), LogisticLoss{})};
  problem.subject_to(rows, Vector::Constant(m, -1), Vector::Constant(m, 1));
  const auto centring = Centring::of(problem);
  ASSERT_TRUE(centring);
  const SparseRows& centred = centring->problem().rows().matrix;
  EXPECT_LE(centred.nonZeros(), 3 * m);
  Vector v = Vector::Constant(n, 0.5), x = v;
  centring->to_user(x);
  test::expect_near(centred * v, rows * x, 1e-14);
}

}  // namespace
}  // namespace bridle
