#include "bridle/scaling/row_metric.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <gtest/gtest.h>

#include "tests/properties.hpp"

namespace bridle {
namespace {

using test::random_vector;

Vector applied(const RowMetric& metric, Vector r) {
  Vector scratch(r.size());
  metric.apply(r, scratch);
  return r;
}

// Dense up to 32 rows, sparse beyond; both against the inverse computed densely.
TEST(RowMetric, IsTheInverseGramMatrix) {
  for (const Index m : {1, 2, 7, 32, 33, 150})
    for (const double density : {0.1, 1.0}) {
      const Matrix rows = test::random_sparse(m, 2 * m + 3, density, static_cast<std::uint64_t>(m));
      const Matrix gram = rows * rows.transpose();
      const RowMetric metric(MetricKind::cholesky, test::sparse(rows), Vector::Zero(m));
      ASSERT_EQ(metric.kind(), MetricKind::cholesky);
      EXPECT_EQ(metric.norm_squared(), 1);
      for (std::uint64_t k = 0; k < 5; ++k) {
        const Vector r = random_vector(m, 10 + k), expected = gram.fullPivLu().solve(r);
        EXPECT_LE((applied(metric, r) - expected).norm(), 1e-8 * expected.norm()) << m << " rows";
      }
    }
}

// Dependent rows: the same row twice, one three times as long, a sum of two. For a residual that rows can
// have, A'M A x is the projection of x onto the row space, whatever the dependence.
TEST(RowMetric, DependentRows) {
  for (const Index m : {8, 60}) {
    Matrix rows = test::random_sparse(m, 2 * m, 0.3, static_cast<std::uint64_t>(100 + m));
    const Matrix independent = rows.topRows(m - 3);
    rows.row(m - 3) = rows.row(0);
    rows.row(m - 2) = 3 * rows.row(1);
    rows.row(m - 1) = rows.row(2) + rows.row(3);
    const RowMetric metric(MetricKind::cholesky, test::sparse(rows), Vector::Zero(m));
    const Matrix onto =
        independent.transpose() * (independent * independent.transpose()).inverse() * independent;
    for (std::uint64_t k = 0; k < 5; ++k) {
      const Vector x = random_vector(2 * m, 20 + k), image = applied(metric, rows * x);
      ASSERT_TRUE(image.allFinite());
      EXPECT_LE((rows.transpose() * image - onto * x).norm(),
                (m <= RowMetric::dense_limit ? 1e-3 : 1e-6) * x.norm())
          << m << " rows";
      EXPECT_TRUE(applied(metric, random_vector(m, 30 + k)).allFinite());
    }
  }
}

TEST(RowMetric, AnEmptyRowStaysFinite) {
  Matrix rows = Matrix::Identity(3, 3);
  rows(1, 1) = 0;
  EXPECT_TRUE(applied(RowMetric(MetricKind::cholesky, test::sparse(rows), Vector::Zero(3)), Vector::Ones(3))
                  .allFinite());
}

TEST(RowMetric, IdentityAndDiagonal) {
  const Matrix rows = test::random_matrix(9, 20, 40), gram = rows * rows.transpose();
  const double largest = Eigen::SelfAdjointEigenSolver<Matrix>(gram).eigenvalues().maxCoeff();
  const Vector r = random_vector(9, 41);
  const RowMetric identity(MetricKind::identity, test::sparse(rows), Vector::Zero(9));
  EXPECT_EQ(applied(identity, r), r);
  EXPECT_NEAR(identity.norm_squared(), largest, 1e-3 * largest) << "60 power iterations";
  const RowMetric diagonal(MetricKind::diagonal, test::sparse(rows), Vector::Zero(9));
  EXPECT_LE((applied(diagonal, r) - r / largest).norm(), 1e-3 * r.norm() / largest);
}

}  // namespace
}  // namespace bridle
