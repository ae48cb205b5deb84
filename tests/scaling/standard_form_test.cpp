#include "bridle/scaling/standard_form.hpp"

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "bridle/problem/objectives/quadratic.hpp"
#include "bridle/problem/sets/sets.hpp"

#include "tests/properties.hpp"

namespace bridle {
namespace {

using test::expect_near;
using test::random_vector;
using test::vec;

constexpr Index n = 6, m = 5;

Problem make_problem(const AnySet& set) {
  Problem problem(Quadratic(test::sparse(test::with_spectrum(vec(4, 3, 2, 1, -1, -2), 1)),
                            random_vector(n, 2), 0, {.additive = 1}));
  problem.within(set);
  Matrix rows = test::random_matrix(m, n, 3);
  rows(0, 2) = rows(3, 1) = 0;
  rows.row(4) *= 1e3;
  // Rows 1 and 3 are equalities; 0 is two-sided, 2 and 4 one-sided.
  problem.subject_to(rows, vec(-1, 0.7, -infinity, -0.3, -5), vec(2, 0.7, 1, -0.3, infinity));
  return problem;
}

struct Case {
  std::string name;
  AnySet set;
  Scaling scaling;
};

std::vector<Case> cases() {
  const Box box(Vector::Constant(n, -2), vec(1, 2, 3, infinity, 1, 1));
  const Product product(n, {{{4, 1, 2}, Simplex(3, 2)}, {{0}, Box(vec(0), vec(1))}});
  const Vector columns = random_vector(n, 4).array().exp(), slacks = random_vector(m, 5).array().exp(),
               reference = random_vector(n, 6).array().exp();
  return {{"literal", box, {{}, {}, {}, MetricKind::identity}},
          {"literal_with_scales", box, {columns, slacks, {}, MetricKind::identity}},
          {"unit_columns", box, {}},
          {"columns", box, {columns, {}, {}, MetricKind::cholesky}},
          {"columns_and_slacks", box, {columns, slacks, {}, MetricKind::cholesky}},
          {"reference", box, {columns, slacks, reference, MetricKind::diagonal}},
          {"simplex", Simplex(n, 3), {columns, {}, {}, MetricKind::cholesky}},
          {"product", product, {columns, slacks, {}, MetricKind::cholesky}}};
}

class StandardFormTest : public testing::TestWithParam<Case> {
 protected:
  const Problem problem_ = make_problem(GetParam().set);
  const StandardForm form_{problem_, GetParam().scaling};
  const Matrix rows_ = problem_.rows().matrix;

  Vector residual(const Vector& v) const {
    Vector out = Vector::Constant(form_.rows(), 1e300);
    form_.residual(v, out);
    return out;
  }
  Vector adjoint(const Vector& w) const {
    Vector out = Vector::Zero(form_.dimension());
    form_.add_adjoint(w, out);
    return out;
  }
};

INSTANTIATE_TEST_SUITE_P(Forms, StandardFormTest, testing::ValuesIn(cases()),
                         [](const auto& test) { return test.param.name; });

TEST_P(StandardFormTest, AdjointIdentity) {
  EXPECT_EQ(form_.rows(), m);
  EXPECT_EQ(form_.dimension(), n + 3) << "a slack for each inequality";
  for (std::uint64_t k = 0; k < 10; ++k) {
    const Vector v = random_vector(form_.dimension(), 100 + k), w = random_vector(m, 200 + k);
    const Vector image = residual(v) - residual(Vector::Zero(v.size())), back = adjoint(w);
    EXPECT_NEAR(image.dot(w), v.dot(back), 1e-12 * (1 + image.norm() * w.norm()));
    Vector added = v;
    form_.add_adjoint(w, added);
    expect_near(added, v + back, 1e-12 * (1 + back.norm()));
  }
}

TEST_P(StandardFormTest, RoundTrips) {
  for (std::uint64_t k = 0; k < 10; ++k) {
    Vector x = random_vector(n, 300 + k), slacks = random_vector(m, 400 + k);
    problem_.set().project(x);
    slacks[1] = slacks[3] = 0;  // equalities have none
    const Vector v = form_.to_standard(x, slacks), y = random_vector(m, 500 + k);
    expect_near(form_.to_original(v), x);
    expect_near(form_.slacks_to_original(v), slacks);
    expect_near(form_.multipliers_to_original(form_.multipliers_to_standard(y)), y);
    const Vector w = random_vector(m, 600 + k);
    expect_near(form_.multipliers_to_standard(form_.multipliers_to_original(w)), w);
  }
}

// Rows, multipliers and gradients mean the same on both sides: <y, r> = <Y, A x - s - b>, A'y = C A'Y.
TEST_P(StandardFormTest, MeansTheSameAsTheProblem) {
  for (std::uint64_t k = 0; k < 10; ++k) {
    const Vector x = random_vector(n, 700 + k), y = random_vector(m, 800 + k);
    Vector slacks = random_vector(m, 900 + k), right = Vector::Zero(m);
    slacks[1] = slacks[3] = 0;
    right[1] = 0.7;
    right[3] = -0.3;
    const Vector v = form_.to_standard(x, slacks), original = form_.multipliers_to_original(y);
    const Vector in_rows = rows_ * x - slacks - right;
    EXPECT_NEAR(y.dot(residual(v)), original.dot(in_rows), 1e-11 * (1 + original.norm() * in_rows.norm()));
    const Vector pull = form_.column_scale().cwiseProduct(rows_.transpose() * original);
    expect_near(adjoint(y).head(n), pull, 1e-12 * (1 + pull.norm()));

    Vector gradient(form_.dimension()), point(n), expected(n);
    form_.gradient(v, 12345, gradient, point);
    problem_.objective().gradient(x, 12345, expected);
    expect_near(gradient.head(n), form_.column_scale().cwiseProduct(expected), 1e-11 * (1 + gradient.norm()));
    EXPECT_EQ(gradient.tail(3), vec(0, 0, 0));
    form_.mean_gradient(v, gradient, point);
    problem_.objective().mean_gradient(x, expected);
    expect_near(gradient.head(n), form_.column_scale().cwiseProduct(expected), 1e-11 * (1 + gradient.norm()));
  }
}

TEST_P(StandardFormTest, ProjectionLandsInTheSet) {
  for (std::uint64_t k = 0; k < 10; ++k) {
    Vector v = random_vector(form_.dimension(), 1000 + k, 5);
    form_.project(v);
    const Vector x = form_.column_scale().cwiseProduct(v.head(n)), slacks = form_.slacks_to_original(v);
    Vector projected = x;
    problem_.set().project(projected);
    expect_near(x, projected, 1e-12 * (1 + x.norm()));
    for (const Index i : {0, 2, 4}) {
      EXPECT_GE(slacks[i], problem_.rows().lower[i] - 1e-12);
      EXPECT_LE(slacks[i], problem_.rows().upper[i] + 1e-12);
    }
    Vector again = v;
    form_.project(again);
    expect_near(again, v, 1e-12 * (1 + v.norm()));
  }
}

// Scaled rows have unit length with their slack column; the metric sees their Gram matrix.
TEST_P(StandardFormTest, RowsHaveUnitLength) {
  Matrix rows(m, form_.dimension());
  for (Index i = 0; i < m; ++i) rows.row(i) = adjoint(Vector::Unit(m, i)).transpose();
  const bool literal = GetParam().scaling.metric == MetricKind::identity;
  for (Index i = 0; i < m && !literal; ++i) EXPECT_NEAR(rows.row(i).norm(), 1, 1e-12);
  if (literal && GetParam().scaling.columns.size() == 0) {
    Matrix slack_columns = Matrix::Zero(m, 3);
    slack_columns(0, 0) = slack_columns(2, 1) = slack_columns(4, 2) = -1;
    EXPECT_EQ(rows.leftCols(n), rows_) << "the paper's loop runs on the user's own rows";
    EXPECT_EQ(rows.rightCols(3), slack_columns);
  }
  if (GetParam().scaling.metric != MetricKind::cholesky) return;
  const Matrix gram = rows * rows.transpose();
  for (std::uint64_t k = 0; k < 5; ++k) {
    Vector r = random_vector(m, 1100 + k), scratch(m);
    const Vector expected = gram.inverse() * r;
    form_.metric().apply(r, scratch);
    expect_near(r, expected, 1e-9 * (1 + expected.norm()));
  }
}

TEST(StandardForm, WithoutRows) {
  Problem problem(Quadratic(test::sparse(Matrix::Identity(2, 2)), vec(1, 2)));
  const StandardForm form(problem, {});
  EXPECT_EQ(form.rows(), 0);
  EXPECT_EQ(form.dimension(), 2);
  Vector none(0), out = vec(1, 2);
  form.residual(vec(1, 1), none);
  form.add_adjoint(none, out);
  form.metric().apply(none, none);
  EXPECT_EQ(out, vec(1, 2));
  EXPECT_EQ(form.to_original(form.to_standard(vec(3, 4), Vector(0))), vec(3, 4));
}

// Singleton rows leave the standard form; their multipliers come back as 0 in their places.
TEST(StandardForm, PresolvedRowsHaveNoMultiplier) {
  Problem problem(Quadratic(test::sparse(Matrix::Identity(2, 2)), vec(1, 2)));
  Matrix rows(3, 2);
  rows << 1, 0, 1, 1, 0, -2;
  problem.subject_to(rows, vec(0, 1, -4), vec(5, 1, 4));
  const StandardForm form(problem, {});
  EXPECT_EQ(form.kept_rows(), std::vector<Index>{1});
  const Vector back = form.multipliers_to_original(vec(3));
  EXPECT_EQ(back[0], 0);
  EXPECT_NE(back[1], 0);
  EXPECT_EQ(back[2], 0);
  Vector v = vec(-7, 9);
  form.project(v);
  EXPECT_EQ(v, vec(0, 2)) << "0 <= x1 <= 5, -2 <= x2 <= 2";
}

}  // namespace
}  // namespace bridle
