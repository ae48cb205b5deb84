#include "bridle/params/curvature.hpp"

#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

#include "bridle/problem/objectives/quadratic.hpp"

#include "tests/properties.hpp"
#include "tests/tolerances.hpp"

namespace bridle {
namespace {

using test::random_vector;
using test::vec;

double largest_eigenvalue(const Matrix& symmetric) {
  return Eigen::SelfAdjointEigenSolver<Matrix>(symmetric).eigenvalues().cwiseAbs().maxCoeff();
}

CurvatureEstimate estimate(const Matrix& hessian, GradientNoise noise, const Scaling& scaling = {},
                           std::uint64_t round = 0) {
  const Index n = hessian.rows();
  const Problem problem(Quadratic(test::sparse(hessian), random_vector(n, 1), 0, noise));
  const StandardForm form(problem, scaling);
  return estimate_curvature(form, form.to_standard(random_vector(n, 2), Vector(0)), 16, 8, 3, round);
}

// 16 power iterations with a ratio 3/10 of the eigenvalues leave 0.3^16; the largest may be negative.
TEST(Curvature, KnownSpectrum) {
  for (const double top : {10.0, -10.0}) {
    const Matrix hessian = test::with_spectrum(vec(top, 3, 2, 1, 0.5, -1, -3), 4);
    for (const GradientNoise noise : {GradientNoise{}, GradientNoise{.additive = 5}}) {
      const auto found = estimate(hessian, noise);
      EXPECT_NEAR(found.curvature, 10, 0.5);
      EXPECT_EQ(found.gradients, noise.additive > 0 ? 2 * 16 * 8 : 2 * 16);
    }
  }
}

TEST(Curvature, InTheStandardForm) {
  const Matrix hessian = test::with_spectrum(vec(10, 3, 2, 1, 0.5, -1, -3), 5);
  const Vector columns = random_vector(7, 6).array().exp();
  const Matrix scaled = columns.asDiagonal() * hessian * columns.asDiagonal();
  Scaling scaling;
  scaling.columns = columns;
  const double expected = largest_eigenvalue(scaled);
  EXPECT_NEAR(estimate(hessian, {}, scaling).curvature, expected, 0.05 * expected);
}

// One estimate of sigma^2 has 16 * 7 * n = 784 degrees of freedom, a relative standard error of sigma
// of 2.5%; the root of the mean square over 100 rounds has 0.25%, which tells a missing 8/7 from rounding.
TEST(Curvature, Noise) {
  const Matrix hessian = test::with_spectrum(vec(10, 3, 2, 1, 0.5, -1, -3), 7);
  EXPECT_EQ(estimate(hessian, {}).noise, 0);
  double squares = 0;
  for (std::uint64_t round = 0; round < 100; ++round)
    squares += std::pow(estimate(hessian, {.additive = 3}, {}, round).noise, 2) / 100;
  EXPECT_NEAR(std::sqrt(squares), 3, 3 * test::z_limit * 0.0025);
  // In the standard form the noise of coordinate j is C_j e_j: sigma sqrt(mean C_j^2).
  Scaling scaling;
  scaling.columns = vec(1, 2, 1, 2, 1, 2, 1);
  const double expected = 3 * std::sqrt(16. / 7);
  EXPECT_NEAR(estimate(hessian, {.additive = 3}, scaling).noise, expected, 0.2 * expected);
}

TEST(Curvature, GradientNorm) {
  const Matrix hessian = test::with_spectrum(vec(10, 3, -1), 8);
  const Vector gradient = hessian * random_vector(3, 2) + random_vector(3, 1);
  EXPECT_NEAR(estimate(hessian, {}).gradient_norm, gradient.norm(), 1e-12 * gradient.norm());
}

TEST(Curvature, LinearObjectiveHasNone) { EXPECT_LE(estimate(Matrix::Zero(3, 3), {}).curvature, 1e-10); }

TEST(Curvature, SameSeedSameEstimate) {
  const Matrix hessian = test::with_spectrum(vec(10, 9, 8, 7, 6), 9);
  EXPECT_EQ(estimate(hessian, {.additive = 1}).curvature, estimate(hessian, {.additive = 1}).curvature);
  EXPECT_EQ(estimate(hessian, {.additive = 1}).noise, estimate(hessian, {.additive = 1}).noise);
}

// A diagonal Hessian is found exactly whatever the scale of the probes; a full one in the mean over probes:
// the square of (H s)_j has a standard deviation below sqrt 2 |row|^2, so that the root has a relative
// standard error below 1/sqrt(2 * 4000) = 1.2%.
TEST(Curvature, OfColumns) {
  const Vector diagonal = vec(4, -2, 0.5, 0), columns = vec(1, 10, 0.1, 3);
  const Problem simple(Quadratic(test::sparse(diagonal.asDiagonal()), random_vector(4, 10)));
  const auto exact = estimate_column_curvature(simple, random_vector(4, 11), columns, 2, 5, 3, 0);
  test::expect_near(exact.rows, diagonal.cwiseAbs(), 1e-9);
  EXPECT_EQ(exact.gradients, 4) << "deterministic: one sample will do";

  const Matrix hessian = test::with_spectrum(vec(10, 3, 2, -3), 12);
  const Problem full(Quadratic(test::sparse(hessian), random_vector(4, 13), 0, {.additive = 1}));
  const auto found = estimate_column_curvature(full, random_vector(4, 14), Vector::Ones(4), 4000, 1, 3, 0);
  for (Index j = 0; j < 4; ++j)
    EXPECT_NEAR(found.rows[j], hessian.row(j).norm(), hessian.row(j).norm() * test::z_limit * 0.012);
}

TEST(Curvature, OfALinearModel) {
  const Matrix data = test::random_matrix(500, 4, 15) * vec(3, 1, 1, 0.5).asDiagonal();
  const Vector labels = (random_vector(500, 16).array() > 0).select(Vector::Ones(500), -1.0),
               columns = vec(1, 2, 1, 1);
  const LinearModel model(DenseRows<double>(data), labels, LogisticLoss{});
  const Matrix scaled = data * columns.asDiagonal();
  const double expected = 0.25 * largest_eigenvalue(scaled.transpose() * scaled / 500.);
  EXPECT_NEAR(linear_model_curvature(model, columns, 1), expected, 0.02 * expected);
}

// One sample out of ten has all the curvature: it must not be left out by chance.
TEST(Curvature, OfALinearModelWithAnOutlier) {
  Matrix data = Matrix::Ones(10, 1);
  data(7, 0) = 100;
  const LinearModel model(DenseRows<double>(data), Vector::Ones(10), SquaredLoss{});
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    EXPECT_NEAR(linear_model_curvature(model, Vector::Ones(1), seed), (9 + 1e4) / 10, 1e-6);
}

}  // namespace
}  // namespace bridle
