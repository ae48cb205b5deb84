// Projections onto the feasible set against their optimality conditions, as the judge sees them; the
// interior-point method by itself.
#include <Eigen/LU>
#include <gtest/gtest.h>

#include "bridle/certify/certify.hpp"
#include "bridle/certify/infeasibility.hpp"
#include "bridle/finish/diagonal_qp.hpp"
#include "bridle/finish/projector.hpp"

#include "tests/finish/sets.hpp"
#include "tests/planted.hpp"
#include "tests/support/infeasible_twin.hpp"

namespace bridle {
namespace {

using test::random_vector;
using test::vec;

constexpr Index n = test::finish_dimension;

// Rows around a point of the set: equalities, inequalities of all kinds, two thirds of them touched there.
// One direction leads from the touched ones inwards, so that the feasible set is more than the point, however
// many rows there are.
Problem polyhedron(const AnySet& set, Index equalities, Index inequalities, bool duplicated,
                   std::uint64_t counter) {
  Problem problem(Quadratic(test::sparse(Matrix::Identity(n, n)), Vector::Zero(n)));
  problem.within(set);
  Vector inside = random_vector(n, counter, 0.3), other = random_vector(n, counter + 2);
  set.project(inside);
  set.project(other);
  const Vector inwards = other - inside;
  const Index own = equalities + inequalities, m = own + (duplicated ? 3 : 0);
  if (m == 0) return problem;
  Matrix rows(m, n);
  rows.topRows(own) = test::random_sparse(own, n, 0.5, counter + 1);
  for (Index i = 0; i < equalities; ++i)
    rows.row(i) -= rows.row(i).dot(inwards) / inwards.squaredNorm() * inwards.transpose();
  Vector lower(m), upper(m);
  lower.head(own) = upper.head(own) = rows.topRows(own) * inside;
  for (Index i = equalities; i < own; ++i) {
    const bool rises = rows.row(i).dot(inwards) > 0;
    if (i % 3 == 0 || !rises) lower[i] = i % 2 == 0 ? -infinity : lower[i] - 0.5;
    if (i % 3 == 0 || rises) upper[i] = i % 4 == 0 ? infinity : upper[i] + 0.2;
  }
  for (Index k = 0; own + k < m; ++k) {  // the first two rows again, one of them longer, and the last
    const Index from = k < 2 ? k : own - 1;
    const double factor = k == 1 ? 5 : 1;
    rows.row(own + k) = factor * rows.row(from);
    lower[own + k] = factor * lower[from];
    upper[own + k] = factor * upper[from];
  }
  problem.subject_to(rows, lower, upper);
  return problem;
}

// The problem whose solution the projection of `centre` in the metric D is.
Problem projection_problem(const Problem& problem, const Vector& centre, const Vector& metric) {
  Problem out(Quadratic(test::sparse(metric.asDiagonal()), -metric.cwiseProduct(centre)));
  out.within(problem.set());
  if (problem.rows().count() > 0)
    out.subject_to(problem.rows().matrix, problem.rows().lower, problem.rows().upper);
  return out;
}

// Projects far and near points, in even and uneven metrics, with and without a point to start from; the judge
// must accept each of them. Returns the share solved exactly on a face.
double check(const Problem& problem, std::uint64_t counter) {
  const auto set = FeasibleSet::of(problem);
  EXPECT_TRUE(set);
  int exact = 0, total = 0;
  for (std::uint64_t k = 0; k < 6; ++k) {
    const double size = k % 3 == 0 ? 0.1 : k % 3 == 1 ? 1 : 30;
    const Vector centre = random_vector(n, counter + 10 + k, size);
    const Vector metric =
        k < 3 ? Vector(Vector::Ones(n)) : Vector(random_vector(n, counter + 20 + k, 1.3).array().exp());
    const auto far = set->project(centre, metric);
    const auto near = set->project(centre, metric, &far.x);
    for (const auto& found : {far, near}) {
      const Certificate c = certify(projection_problem(problem, centre, metric), found.x, found.multipliers);
      EXPECT_LE(c.feasibility.absolute, 1e-7 * (1 + size));
      EXPECT_LE(c.set_distance.absolute, 1e-8 * (1 + size));
      // Off its face by a hair a point has other neighbours, and its stationarity says nothing.
      if (found.exact) {
        EXPECT_LE(c.error(), 1e-8 * (1 + size))
            << "size " << size << ", metric " << (k < 3 ? "even" : "uneven") << ", feasibility "
            << c.feasibility.relative << ", stationarity " << c.stationarity.relative << ", complementarity "
            << c.complementarity.relative;
      }
      exact += found.exact;
      ++total;
    }
    EXPECT_LE((far.x - near.x).norm(), 1e-5 * (1 + far.x.norm())) << "projections are unique";
  }
  return static_cast<double>(exact) / total;
}

class ProjectionTest : public testing::TestWithParam<test::FinishSet> {};
INSTANTIATE_TEST_SUITE_P(Sets, ProjectionTest, testing::ValuesIn(test::finish_sets()),
                         [](const auto& test) { return test.param.name; });

TEST_P(ProjectionTest, MeetsItsOptimalityConditions) {
  double exact = 0, count = 0;
  for (std::uint64_t k = 0; k < 8; ++k)
    for (const bool duplicated : {false, true}) {
      exact += check(polyhedron(GetParam().set, 2, 6, duplicated, 1000 + 100 * k), 5000 + 100 * k);
      ++count;
    }
  EXPECT_GE(exact / count, 0.95) << "nearly all projections are solved on their face";
}

TEST_P(ProjectionTest, WithoutRows) { EXPECT_EQ(check(polyhedron(GetParam().set, 0, 0, false, 2), 7000), 1); }
TEST_P(ProjectionTest, EqualitiesOnly) {
  EXPECT_EQ(check(polyhedron(GetParam().set, 3, 0, false, 3), 7100), 1);
}

// Degenerate: more touched rows than variables at a corner.
TEST_P(ProjectionTest, ManyRows) { check(polyhedron(GetParam().set, 1, 40, false, 4), 7200); }

TEST_P(ProjectionTest, LeastViolationProvesInfeasibility) {
  for (std::uint64_t k = 0; k < 8; ++k) {
    const Problem feasible = polyhedron(GetParam().set, 2, 6, k % 2 == 1, 3000 + 100 * k);
    EXPECT_FALSE(prove_infeasible(feasible, FeasibleSet::of(feasible)->least_violation().y));
    const Problem twin = infeasible_twin(feasible, 4000 + k);
    const auto proof = prove_infeasible(twin, FeasibleSet::of(twin)->least_violation().y);
    ASSERT_TRUE(proof) << "twin " << k;
    EXPECT_GT(proof->margin, 0);
  }
}

// Many more rows than variables: the reduced normal equations, and the projection onto a growing selection of
// rows, against the judge.
TEST_P(ProjectionTest, VeryManyRows) {
  for (const Index equalities : {0, 2}) {
    const Problem problem = polyhedron(GetParam().set, equalities, 350, false, 6000);
    auto projector = Projector::of(problem);
    ASSERT_TRUE(projector);
    for (std::uint64_t k = 0; k < 2; ++k) {
      const Vector centre = random_vector(n, 6100 + k), metric = random_vector(n, 6200 + k).array().exp();
      const Problem stated = projection_problem(problem, centre, metric);
      const auto few = projector->project(centre, metric);
      const auto all = FeasibleSet::of(problem)->project(centre, metric);
      EXPECT_LE((few.x - all.x).norm(), 1e-5);
      const Certificate c = certify(stated, few.x, few.multipliers);
      EXPECT_LE(c.feasibility.absolute, 1e-7);
      if (few.exact) {
        EXPECT_LE(c.error(), 1e-8);
      }
    }
  }
}

TEST(FeasibleSet, ByHand) {
  // x + y = 1 and x, y >= 0 in the metric diag(1, 3) around (1, 1): move by (-a, -a/3) with a + a/3 = 1:
  // (1/4, 3/4). The multiplier: D (x - centre) + y (1, 1) = 0 gives y = 3/4.
  Problem problem(Quadratic(test::sparse(Matrix::Identity(2, 2)), Vector::Zero(2)));
  problem.within(Box(vec(0, 0), vec(infinity, infinity)));
  problem.subject_to(Matrix(Matrix::Ones(1, 2)), vec(1), vec(1));
  const auto found = FeasibleSet::of(problem)->project(vec(1, 1), vec(1, 3));
  test::expect_near(found.x, vec(0.25, 0.75));
  test::expect_near(found.multipliers, vec(0.75));
  EXPECT_TRUE(found.exact);
  EXPECT_EQ(FeasibleSet::of(problem)->project(vec(3, 0), vec(1, 1)).x[1], 0) << "the corner (1, 0), exactly";
}

// x2 + 2 x4 <= 1 with x5 <= 0: the row takes (1, 1) to (0.6, 0.2) in the metric (1, 1), the others are
// clamped.
TEST(FeasibleSet, VariablesInNoRowAreKeptWithinTheirBounds) {
  Problem problem(Quadratic(test::sparse(Matrix::Identity(5, 5)), Vector::Zero(5)));
  problem.within(Box(Vector::Constant(5, -2), vec(3, 3, 3, 3, 0)));
  Matrix row = Matrix::Zero(1, 5);
  row(0, 1) = 1;
  row(0, 3) = 2;
  problem.subject_to(row, vec(-infinity), vec(1));
  const auto set = FeasibleSet::of(problem);
  const Vector near = Vector::Zero(5);
  for (const Vector* from : {static_cast<const Vector*>(nullptr), &near}) {
    const auto found = set->project(vec(-5, 1, 2.5, 1, 7), Vector::Ones(5), from);
    EXPECT_TRUE(found.exact);
    EXPECT_LE((found.x - vec(-2, 0.6, 2.5, 0.2, 0)).norm(), 1e-14);
    EXPECT_NEAR(found.multipliers[0], 0.4, 1e-14);
  }
}

// A row without entries ties nothing; one that asks for something else than 0 cannot be met.
TEST(FeasibleSet, RowsWithoutEntries) {
  for (const double asked : {0.0, 1.0}) {
    Problem problem(Quadratic(test::sparse(Matrix::Identity(2, 2)), Vector::Zero(2)));
    problem.within(Box(vec(0, 0), vec(1, 1)));
    problem.subject_to(Matrix::Zero(1, 2), vec(asked), vec(asked));
    const auto found = FeasibleSet::of(problem)->project(vec(-1, 0.5), Vector::Ones(2));
    EXPECT_EQ(found.exact, asked == 0);
    EXPECT_EQ(found.x, vec(0, 0.5));
    EXPECT_EQ(found.multipliers, vec(0));
  }
}

// Variables that end on their bounds without a push against them, in rows that add up nothing else: what
// rounding leaves of them would break such a row by all that it adds up.
TEST(FeasibleSet, VariablesAtRestAreOnTheirBounds) {
  const Matrix rows{{1, -1, -1, 0, 0, 0}, {0, 1, 0.3, -1, 0, 0}, {0, 0, 0, 0, 1, 0.7}};
  const Vector right{{0, 0, 1}};
  Problem problem(Quadratic(test::sparse(Matrix::Identity(6, 6)), Vector::Zero(6)));
  problem.within(Box{Vector::Zero(6), Vector::Constant(6, infinity)});
  problem.subject_to(rows, right, right);
  const auto set = FeasibleSet::of(problem);
  ASSERT_TRUE(set);
  for (std::uint64_t k = 0; k < 20; ++k) {
    Vector centre = rows.transpose() * random_vector(3, 60 + k, 2);  // which the rows alone bring to 0
    centre.tail(2) = vec(0.4, 0.5);
    const auto found = set->project(centre, Vector::Ones(6));
    EXPECT_EQ(found.x.head(4), Vector::Zero(4)) << found.x.transpose();
    const Certificate verdict =
        certify(projection_problem(problem, centre, Vector::Ones(6)), found.x, found.multipliers);
    EXPECT_LE(verdict.error(), 1e-9) << "centre " << k;
  }
}

TEST(FeasibleSet, NothingForSetsOfManyRows) {
  Problem problem(Quadratic(test::sparse(Matrix::Identity(3, 3)), Vector::Zero(3)));
  problem.within(L1Ball(3, 1));
  EXPECT_FALSE(FeasibleSet::of(problem));
}

TEST(InteriorPoint, WithoutRows) {
  // Each variable by itself: clamp(-q/Q), or the bound that q points away from where Q = 0.
  DiagonalQp qp;
  qp.matrix.resize(0, 5);
  qp.right.resize(0);
  qp.hessian = vec(1, 2, 4, 0, 1);
  qp.linear = vec(-3, 8, 1, 5, 0);
  qp.lower = vec(-1, -2, -infinity, 0, 7);
  qp.upper = vec(2, infinity, infinity, 9, 7);
  const QpSolution found = solve_interior_point(qp);
  EXPECT_TRUE(found.converged);
  test::expect_near(found.w, vec(2, -2, -0.25, 0, 7), 1e-6);
  EXPECT_EQ(found.multipliers.size(), 0);
}

TEST(InteriorPoint, WithoutBounds) {
  // Equality rows only: one linear system.
  const Index m = 3, size = 7;
  DiagonalQp qp;
  const Matrix A = test::random_matrix(m, size, 10);
  qp.matrix = test::sparse(A);
  qp.right = random_vector(m, 11);
  qp.hessian = random_vector(size, 12).array().exp();
  qp.linear = random_vector(size, 13);
  qp.lower = Vector::Constant(size, -infinity);
  qp.upper = Vector::Constant(size, infinity);
  Matrix kkt = Matrix::Zero(size + m, size + m);
  kkt << Matrix(qp.hessian.asDiagonal()), A.transpose(), A, Matrix::Zero(m, m);
  Vector right(size + m);
  right << -qp.linear, qp.right;
  const Vector expected = kkt.fullPivLu().solve(right);
  const QpSolution found = solve_interior_point(qp);
  EXPECT_TRUE(found.converged);
  test::expect_near(found.w, expected.head(size), 1e-9);
  test::expect_near(found.multipliers, expected.tail(m), 1e-9);
}

// Random problems of all shapes: touched and far bounds, free rows, linear parts from 0.01 to 10^4. A few
// have no interior, which is beyond the method; nearly all others must converge, and fast. (Measured: 98% in
// 13 iterations.)
TEST(InteriorPoint, ConvergesOnRandomProblems) {
  double converged = 0, iterations = 0;
  constexpr std::uint64_t problems = 300;
  for (std::uint64_t k = 0; k < problems; ++k) {
    const auto columns = static_cast<Index>(5 + k % 40), m = static_cast<Index>(k * 7 % 30),
               size = columns + m;
    const Matrix rows = test::random_sparse(m, columns, 0.3, 100 + 5 * k);
    const Vector inside = random_vector(columns, 101 + 5 * k), activity = rows * inside,
                 room = random_vector(size, 102 + 5 * k).cwiseAbs(),
                 choice = random_vector(size, 103 + 5 * k);
    DiagonalQp qp;
    qp.right = Vector::Zero(m);
    qp.lower = Vector::Constant(size, -infinity);
    qp.upper = Vector::Constant(size, infinity);
    Matrix all = Matrix::Zero(m, size);
    all.leftCols(columns) = rows;
    for (Index j = 0; j < columns; ++j) {
      if (choice[j] > -0.3) qp.lower[j] = inside[j] - (j % 5 == 0 ? 0 : room[j]);
      if (choice[j] < 0.5) qp.upper[j] = inside[j] + (j % 7 == 0 ? 0 : room[j]);
    }
    for (Index i = 0; i < m; ++i) {
      const Index j = columns + i;
      if (i % 4 == 0 && i < columns / 2) {
        qp.right[i] = activity[i];
        continue;
      }
      all(i, j) = -1;
      if (choice[j] > -1) qp.lower[j] = activity[i] - (i % 3 == 0 ? 0 : room[j]);
      if (choice[j] < 1) qp.upper[j] = activity[i] + (i % 3 != 0 && i % 2 == 1 ? 0 : room[j]);
    }
    qp.matrix = test::sparse(all);
    qp.hessian = Vector::Zero(size);
    qp.hessian.head(columns).setOnes();
    qp.linear = Vector::Zero(size);
    qp.linear.head(columns) =
        random_vector(columns, 104 + 5 * k, std::pow(10.0, static_cast<double>(k % 7) - 2));
    const QpSolution found = solve_interior_point(qp);
    converged += found.converged / static_cast<double>(problems);
    iterations += found.iterations / static_cast<double>(problems);
  }
  EXPECT_GE(converged, 0.95);
  EXPECT_LE(iterations, 18);
}

// No solution: says so, and stays finite.
TEST(InteriorPoint, Infeasible) {
  DiagonalQp qp;
  qp.matrix = test::sparse(Matrix::Ones(1, 2));
  qp.right = vec(5);
  qp.hessian = vec(1, 1);
  qp.linear = vec(0, 0);
  qp.lower = vec(0, 0);
  qp.upper = vec(1, 1);
  const QpSolution found = solve_interior_point(qp);
  EXPECT_FALSE(found.converged);
  EXPECT_TRUE(found.w.allFinite());
}

}  // namespace
}  // namespace bridle
