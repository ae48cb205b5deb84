#include "bridle/problem/smooth_rows.hpp"

#include <gtest/gtest.h>

#include "bridle/core/error.hpp"
#include "bridle/problem/constraints/mean_constraint.hpp"
#include "bridle/problem/constraints/quadratic_rows.hpp"
#include "bridle/problem/constraints/rate_rows.hpp"
#include "bridle/problem/objectives/quadratic.hpp"
#include "bridle/problem/problem.hpp"

#include "tests/properties.hpp"

namespace bridle {
namespace {

using test::vec;

// (x1^2 + x2^2, x1 x2), with or without its Hessian.
struct CircleAndProduct {
  Index dimension() const { return 2; }
  Index count() const { return 2; }
  void value(ConstVectorRef x, VectorRef out) const {
    out[0] = x.squaredNorm();
    out[1] = x[0] * x[1];
  }
  void jacobian(ConstVectorRef x, Matrix& out) const {
    out.row(0) = 2 * x;
    out.row(1) << x[1], x[0];
  }
};
struct WithHessian : CircleAndProduct {
  void hessian(ConstVectorRef, ConstVectorRef y, Matrix& out) const { out << 2 * y[0], y[1], y[1], 2 * y[0]; }
};
// exp(x2), sparse.
struct Exponential {
  Index dimension() const { return 2; }
  Index count() const { return 1; }
  void value(ConstVectorRef x, VectorRef out) const { out[0] = std::exp(x[1]); }
  void jacobian(ConstVectorRef x, SparseRows& out) const { out.insert(0, 1) = std::exp(x[1]); }
  Names row_names() const { return {"growth"}; }
};
// The samples i = 0, 1, 2 add i x1 + x2^2.
struct Term {
  Index dimension() const { return 2; }
  Index count() const { return 1; }
  Index sample_count() const { return 3; }
  void add(ConstVectorRef x, Sample sample, VectorRef value, Matrix* slope) const {
    const auto i = static_cast<double>(sample);
    value[0] += i * x[0] + x[1] * x[1];
    if (slope) slope->row(0) += vec(i, 2 * x[1]).transpose();
  }
};

Problem plane() { return Problem(Quadratic(test::sparse(Matrix::Identity(2, 2)), Vector::Zero(2))); }

TEST(SmoothRows, BlocksFollowOneAnotherAfterTheLinearRows) {
  Problem problem = plane();
  problem.subject_to_smooth(WithHessian{}, vec(-infinity, 1), vec(4, 1))
      .subject_to_smooth(Exponential{}, vec(0), vec(9));
  problem.subject_to(Matrix(vec(1, 1).transpose()), vec(0), vec(5), {"sum"});
  EXPECT_EQ(problem.row_count(), 4);
  EXPECT_EQ(problem.row_names(), (Names{"sum", "smooth1", "smooth2", "growth"}));
  const SmoothRows& smooth = problem.smooth_rows();
  EXPECT_FALSE(smooth.is_equality(0));
  EXPECT_TRUE(smooth.is_equality(1));
  const SmoothPoint at = smooth.at(vec(2, 0));
  EXPECT_EQ(at.value, vec(4, 0, 1));
  Matrix jacobian(3, 2);
  jacobian << 4, 0, 0, 2, 0, 1;
  EXPECT_EQ(Matrix(at.jacobian), jacobian);
  EXPECT_TRUE(at.finite());
  EXPECT_EQ(smooth.value(vec(2, 0)), at.value);
}

TEST(SmoothRows, LinearRowsAroundAPointAgreeWithTheRowsThere) {
  Problem problem = plane();
  problem.subject_to(Matrix(vec(1, 1).transpose()), vec(0), vec(5), {"sum"});
  problem.subject_to_smooth(CircleAndProduct{}, vec(-infinity, 1), vec(4, 1));
  const Vector w = vec(3, 2);
  const Problem linear = problem.linearised(w, problem.smooth_rows().at(w));
  EXPECT_FALSE(linear.has_smooth_rows());
  ASSERT_EQ(linear.rows().count(), 3);
  EXPECT_EQ(linear.rows().names, problem.row_names());
  // At w each row is as far from its bounds as c(w) = (13, 6) is from the user's.
  const Vector activity = linear.rows().matrix * w;
  EXPECT_EQ(linear.rows().upper - activity, vec(0, 4 - 13, 1 - 6));
  EXPECT_EQ(linear.rows().lower[1], -infinity);
  EXPECT_TRUE(linear.rows().is_equality(2));
}

TEST(SmoothRows, HessiansComeFromDifferencesWhereTheyAreNotOffered) {
  const SmoothRows known{{WithHessian{}}, vec(0, 0), vec(1, 1), {"a", "b"}};
  const SmoothRows other{{CircleAndProduct{}}, vec(0, 0), vec(1, 1), {"a", "b"}};
  EXPECT_TRUE(known.has_hessian());
  EXPECT_FALSE(other.has_hessian());
  Matrix exact = Matrix::Ones(2, 2), differences = Matrix::Ones(2, 2);
  known.add_hessian(vec(3, -2), vec(0.5, 2), exact);
  other.add_hessian(vec(3, -2), vec(0.5, 2), differences);
  Matrix expected(2, 2);
  expected << 2, 3, 3, 2;
  EXPECT_EQ(exact, expected);
  // The Jacobian is linear: what is left is its rounding, 10 eps, over the step of 2e-5.
  EXPECT_LT((differences - expected).norm(), 1e-9);
}

TEST(SmoothRows, AMeanOverSamples) {
  const AnySmoothConstraint all = MeanConstraint(Term{});
  const AnySmoothConstraint batch = MeanConstraint(Term{}, {0, 2, 2});
  const Vector x = vec(3, 2);
  EXPECT_EQ(all.value(x), vec(1 * 3 + 4));
  EXPECT_EQ(Matrix(all.at(x).jacobian), Matrix(vec(1, 4).transpose()));
  EXPECT_NEAR(batch.value(x)[0], 4.0 / 3 * 3 + 4, 1e-15);
  EXPECT_EQ(batch.at(x).value, batch.value(x));
}

// Slopes and curvature against central differences: of order h^2 = 1e-10 for values of about 1.
void expect_derivatives(const AnySmoothConstraint& c, const Vector& x, const Vector& y) {
  constexpr double h = 1e-5;
  const SmoothPoint at = c.at(x);
  EXPECT_TRUE(at.value.isApprox(c.value(x), 1e-14));
  Matrix hessian = Matrix::Zero(x.size(), x.size());
  ASSERT_TRUE(c.has_hessian());
  c.add_hessian(x, y, hessian);
  for (Index j = 0; j < x.size(); ++j) {
    const Vector step = h * Vector::Unit(x.size(), j);
    const SmoothPoint after = c.at(x + step), before = c.at(x - step);
    EXPECT_LT((Vector(at.jacobian.col(j)) - (after.value - before.value) / (2 * h)).norm(), 1e-8);
    const Vector slope = (after.jacobian - before.jacobian).transpose() * y / (2 * h);
    EXPECT_LT((hessian.col(j) - slope).norm(), 1e-8);
  }
}

TEST(SmoothRows, QuadraticsAndBalls) {
  QuadraticRows rows(3);
  Matrix square(3, 3);
  square << 1, -2, 0, -2, 0.5, 0, 0, 0, 0;
  rows.add(test::sparse(square), vec(0, 1, -3));
  rows.add_ball({2, 0}, vec(1, -1));
  const AnySmoothConstraint c = rows;
  const Vector x = vec(0.3, -0.7, 1.1);
  EXPECT_NEAR(c.value(x)[0], x.dot(square * x) - 0.7 - 3.3, 1e-15);
  EXPECT_NEAR(c.value(x)[1], 0.1 * 0.1 + 1.3 * 1.3, 1e-15);
  expect_derivatives(c, x, vec(0.4, -1.5));
}

TEST(SmoothRows, RatesOverALinearModel) {
  const Matrix data = test::random_matrix(30, 3, 5);
  const LinearModel model(DenseRows<double>(data), Vector::Ones(30), LogisticLoss{});
  Matrix weights = Matrix::Zero(30, 2);
  weights.col(0).head(10).setConstant(0.1);
  weights.col(0).tail(20).setConstant(-0.05);
  weights.col(1).setConstant(1.0 / 30);
  const AnySmoothConstraint c = RateRows(model, 2, weights);
  const Vector x = vec(0.3, -0.7, 1.1);
  double mean = 0;
  for (Index i = 0; i < 30; ++i) mean += 1 / (1 + std::exp(-2 * data.row(i).dot(x))) / 30;
  EXPECT_NEAR(c.value(x)[1], mean, 1e-14);
  expect_derivatives(c, x, vec(0.4, -1.5));
  EXPECT_TRUE(c.at(1e6 * x).finite());
}

TEST(SmoothRows, WhatIsRefused) {
  Problem problem = plane();
  EXPECT_THROW(problem.subject_to_smooth(WithHessian{}, vec(0), vec(1)), InputError);
  EXPECT_THROW(problem.subject_to_smooth(WithHessian{}, vec(0, 2), vec(1, 1)), InputError);
  EXPECT_THROW(problem.subject_to_smooth(WithHessian{}, vec(0, 0), vec(1, 1), {"a", "a"}), InputError);
  EXPECT_THROW(problem.subject_to_smooth(WithHessian{}, vec(0, 0), vec(1, 1), {"a"}), InputError);
  problem.subject_to_smooth(Exponential{}, vec(0), vec(9));
  EXPECT_THROW(problem.subject_to(Matrix(vec(1, 1).transpose()), vec(0), vec(5), {"growth"}), InputError);
  Problem other = Problem(Quadratic(test::sparse(Matrix::Identity(3, 3)), Vector::Zero(3)));
  EXPECT_THROW(other.subject_to_smooth(Exponential{}, vec(0), vec(9)), InputError);
}

}  // namespace
}  // namespace bridle
