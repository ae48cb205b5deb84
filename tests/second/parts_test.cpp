// The parts of the second-order phase, each by itself.
#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

#include "bridle/second/cholesky.hpp"
#include "bridle/second/dense_qp.hpp"
#include "bridle/second/face_curvature.hpp"
#include "bridle/second/region_projector.hpp"

#include "tests/second/problems.hpp"

namespace bridle {
namespace {

using namespace second;
using test::random_matrix;
using test::random_vector;
using test::vec;

const std::function<bool()> never_stop;

TEST(DenseCholesky, SolvesAndRefuses) {
  for (const Index n : {1, 3, 7, 8, 9, 40, 83}) {
    Vector eigenvalues(n);
    for (Index j = 0; j < n; ++j) eigenvalues[j] = 1 + static_cast<double>(j);
    Matrix a = test::with_spectrum(eigenvalues, 3);
    const Vector right = random_vector(n, 4);
    Cholesky factor;
    ASSERT_TRUE(factor.factorise(a)) << n;
    Vector x = right;
    factor.solve(x);
    EXPECT_LT((a * x - right).norm(), 1e-12 * static_cast<double>(n) * right.norm()) << n;
    eigenvalues[0] = -0.1;
    EXPECT_FALSE(factor.factorise(test::with_spectrum(eigenvalues, 3))) << n;
  }
}

// A strictly convex program of 15 variables and 8 rows around d = 0, one of them an equality.
DenseQp program(std::uint64_t seed, SparseRows& rows_kept) {
  const Index n = 15, m = 8;
  Matrix rows = random_matrix(m, n, 10 * seed + 1);
  rows.rowwise().normalize();
  rows_kept = rows.sparseView();
  DenseQp out{Matrix(), Vector(), Vector(), Vector(), rows_kept, Vector(), Vector()};
  const Matrix root = random_matrix(n, n, 10 * seed + 2);
  out.hessian = root * root.transpose() / static_cast<double>(n) + 0.01 * Matrix::Identity(n, n);
  out.gradient = random_vector(n, 10 * seed + 3);
  out.lower = -random_vector(n, 10 * seed + 4).cwiseAbs();
  out.upper = random_vector(n, 10 * seed + 5).cwiseAbs();
  out.row_lower = -0.3 * random_vector(m, 10 * seed + 6).cwiseAbs();
  out.row_upper = 0.3 * random_vector(m, 10 * seed + 7).cwiseAbs();
  out.row_lower[0] = out.row_upper[0] = 0;
  return out;
}

TEST(DenseQuadraticPrograms, FacesAndInteriorPointFindTheSameMinimum) {
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    SparseRows rows;
    const DenseQp qp = program(seed, rows);
    Work work(never_stop);
    Face face{std::vector<Side>(15, inside), std::vector<Side>(8, inside)}, guess = face;
    QpPoint within, on_face;
    ASSERT_EQ(solve_inside(qp, guess, within, work), QpEnd::solved);
    ASSERT_EQ(solve_on_faces(qp, 20, guess, on_face, work), QpEnd::solved);
    EXPECT_LT((within.d - on_face.d).norm(), 1e-6) << seed;
    EXPECT_LT((within.multipliers - on_face.multipliers).norm(), 1e-4) << seed;
    const Vector slope = qp.gradient + qp.hessian * on_face.d + qp.rows.transpose() * on_face.multipliers;
    for (Index j = 0; j < 15; ++j) {
      const Side side = guess.variables[static_cast<std::size_t>(j)];
      EXPECT_GE(slope[j], side == at_upper ? -infinity : -1e-10) << seed;
      EXPECT_LE(slope[j], side == at_lower ? infinity : 1e-10) << seed;
    }
  }
}

TEST(DenseQuadraticPrograms, IndefiniteOnesAreSeen) {
  SparseRows rows;
  DenseQp qp = program(1, rows);
  qp.hessian -= 5 * Matrix::Identity(15, 15);
  Work work(never_stop);
  Face face{std::vector<Side>(15, inside), std::vector<Side>(8, inside)};
  QpPoint point;
  EXPECT_EQ(solve_on_faces(qp, 20, face, point, work), QpEnd::not_convex);
}

// Against what characterises a projection: M (centre - x) makes no acute angle with any way into the region.
TEST(RegionProjections, AreTheNearestPoints) {
  for (std::uint64_t seed = 1; seed < 15; ++seed) {
    const Problem problem =
        test::with_rows(test::small_model(LogisticLoss{}, test::Data::dense, 20, 12), 9, seed);
    const auto region = Region::of(problem);
    RegionProjector projector(*region);
    Work work(never_stop);
    const Vector metric = random_vector(12, seed).cwiseAbs().array() + 0.1,
                 far = random_vector(12, 50 + seed, 5);
    const auto found = projector.project(far, metric, Vector(), work);
    ASSERT_TRUE(found.exact) << seed;
    EXPECT_LE(region->violation(found.x), 1e-11) << seed;
    for (std::uint64_t k = 0; k < 20; ++k) {
      const auto other = projector.project(random_vector(12, 1000 * seed + k), metric, Vector(), work);
      EXPECT_LE(metric.cwiseProduct(far - found.x).dot(other.x - found.x), 1e-8) << seed;
    }
  }
}

// A chain |x_i - x_{i+1}| <= 0.01 in a box, from so far away that all variables begin at their bounds.
TEST(RegionProjections, RowsThatDependOnOneAnotherAtTheBounds) {
  constexpr Index n = 300;
  Problem problem(test::small_model(LogisticLoss{}, test::Data::sparse, 400, n));
  std::vector<Eigen::Triplet<double>> entries;
  for (Index i = 0; i + 1 < n; ++i) {
    entries.emplace_back(i, i, 1.0);
    entries.emplace_back(i, i + 1, -1.0);
  }
  SparseRows rows(n - 1, n);
  rows.setFromTriplets(entries.begin(), entries.end());
  problem.within(Box(Vector::Constant(n, -0.5), Vector::Constant(n, 0.5)))
      .subject_to(rows, Vector::Constant(n - 1, -0.01), Vector::Constant(n - 1, 0.01));
  const auto region = Region::of(problem);
  RegionProjector projector(*region);
  Work work(never_stop);
  const auto found = projector.project(random_vector(n, 3, 20), Vector::Ones(n), Vector(), work);
  EXPECT_TRUE(found.exact);
  EXPECT_LE(region->violation(found.x), 1e-11);
}

TEST(LeastCurvature, IsTheSmallestEigenvalueOnTheFace) {
  const Vector spectrum = vec(-2, -1, 0.5, 1, 2, 3);
  const Matrix hessian = test::with_spectrum(spectrum, 9);
  Problem problem(test::small_model(LogisticLoss{}, test::Data::dense, 20, 6));
  const Matrix row = random_matrix(1, 6, 8);
  problem.subject_to(row, vec(0), vec(0));
  const auto region = Region::of(problem);
  Work work(never_stop);
  const auto product = [&](const Vector& d, Vector& image) { image = hessian * d; };
  const auto found = least_curvature(*region, Vector::Zero(6), Vector::Ones(6), product, work);
  const Vector normal = row.transpose().normalized();
  const Matrix along = Matrix::Identity(6, 6) - normal * normal.transpose();
  // Shifted, so that the direction across the face does not count.
  const Matrix on_face = along * hessian * along + 100 * normal * normal.transpose();
  const double expected = Eigen::SelfAdjointEigenSolver<Matrix>(on_face).eigenvalues()[0];
  EXPECT_NEAR(found.least, expected, 1e-2 * std::abs(expected));
  EXPECT_NEAR((row * found.direction)[0], 0, 1e-10);
}

}  // namespace
}  // namespace bridle
