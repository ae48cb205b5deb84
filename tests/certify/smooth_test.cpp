// The judge of smooth rows: c(x) itself is measured, with the Jacobian at x, by no linear model of it.
#include <gtest/gtest.h>

#include "bridle/certify/certify.hpp"
#include "bridle/problem/constraints/quadratic_rows.hpp"
#include "bridle/problem/objectives/quadratic.hpp"
#include "bridle/problem/sets/sets.hpp"

#include "tests/properties.hpp"

namespace bridle {
namespace {

using test::vec;

// weight (x1^2 / a1^2 + x2^2 / a2^2), an ellipse.
struct Ellipse {
  Vector axes;
  double weight = 1;
  Index dimension() const { return 2; }
  Index count() const { return 1; }
  void value(ConstVectorRef x, VectorRef out) const { out[0] = weight * x.cwiseQuotient(axes).squaredNorm(); }
  void jacobian(ConstVectorRef x, Matrix& out) const {
    out.row(0) = 2 * weight * x.cwiseQuotient(axes.cwiseAbs2()).transpose();
  }
};
struct Broken : Ellipse {
  double bad;
  void value(ConstVectorRef, VectorRef out) const { out[0] = bad; }
};
struct BrokenSlope : Ellipse {
  void jacobian(ConstVectorRef, Matrix& out) const { out.setConstant(std::nan("")); }
};

// minimise x1 + x2 within a circle of radius sqrt 2: at (-1, -1), with the multiplier 1/2.
Problem in_a_circle(double lower = -infinity) {
  Problem problem(Quadratic(test::sparse(Matrix::Zero(2, 2)), vec(1, 1)));
  problem.subject_to_smooth(Ellipse{vec(1, 1)}, vec(lower), vec(2), {"circle"});
  return problem;
}

TEST(CertifySmooth, EveryFigureByHand) {
  const Certificate solution = certify(in_a_circle(), vec(-1, -1), vec(0.5));
  EXPECT_EQ(solution.error(), 0);
  EXPECT_FALSE(solution.convex) << "nobody says that the rows are";
  // c = 2 * 1.21 = 2.42, J = (-2.2, -2.2): grad f + J'y = 1 - 1.1 per variable, D = G = 1. The multiplier is
  // worth 0.5 * 0.42 of F = |f(x) - f(0)| = 2.2.
  const Certificate off = certify(in_a_circle(), vec(-1.1, -1.1), vec(0.5));
  EXPECT_NEAR(off.feasibility.absolute, 0.42, 1e-14);
  EXPECT_NEAR(off.feasibility.relative, 0.21, 1e-14);
  EXPECT_EQ(off.feasibility.where, "circle");
  EXPECT_NEAR(off.stationarity.relative, 0.1, 1e-14);
  EXPECT_NEAR(off.complementarity.relative, 0.21 / 2.2, 1e-14);
}

TEST(CertifySmooth, RefusesWhatALinearModelAccepts) {
  // Around (-1, -1) the linear row is 2 - 2 (x1 + 1) - 2 (x2 + 1) <= 2: (-2, 0) touches it, and c = 4.
  const Vector w = vec(-1, -1), x = vec(-2, 0), y = vec(0.5);
  const Problem problem = in_a_circle();
  EXPECT_EQ(certify(problem.linearised(w, problem.smooth_rows().at(w)), x, y).error(), 0);
  EXPECT_EQ(certify(problem, x, y).feasibility.relative, 1);
  // (-sqrt 2, 0) is on the circle, but the Jacobian there points elsewhere.
  EXPECT_GT(certify(problem, vec(-std::sqrt(2), 0), y).stationarity.relative, 0.4);
}

// (x1 - x2)^2 is 4 at 1e9 + 2 and 1e9, and its terms are 1e18, beside which doubles have no 4.
TEST(CertifySmooth, WhatCancelsIsAddedUpExactly) {
  Matrix square(2, 2);
  square << 1, -1, -1, 1;
  QuadraticRows difference(2), ball(2);
  difference.add(test::sparse(square), Vector::Zero(2));
  ball.add_ball({0, 1}, vec(1e9, 1e9));
  const Vector x = vec(1e9 + 2, 1e9);
  for (const QuadraticRows& rows : {difference, ball}) {
    Problem problem(Quadratic(test::sparse(Matrix::Zero(2, 2)), vec(1, 0)));
    problem.subject_to_smooth(rows, vec(-infinity), vec(1), {"near"});
    EXPECT_EQ(certify(problem, x, vec(0)).feasibility.absolute, 3);
    Matrix slope = Matrix::Zero(1, 2);
    rows.jacobian(x, slope);
    EXPECT_EQ(slope(0, 0), 4);
  }
}

TEST(CertifySmooth, RefusesWrongMultipliers) {
  const Problem problem = in_a_circle(1);
  EXPECT_EQ(certify(problem, vec(-1, -1), vec(0.5)).error(), 0);
  EXPECT_GT(certify(problem, vec(-1, -1), vec(0)).error(), 0.9);
  EXPECT_GT(certify(problem, vec(-1, -1), vec(-0.5)).error(), 0.9);
  // At (1, 1) the other sign would do, were it allowed at an upper bound; at the lower bound it is.
  EXPECT_GT(certify(problem, vec(1, 1), vec(-0.5)).error(), 0.4);
  EXPECT_LT(certify(problem, std::sqrt(0.5) * vec(1, 1), -std::sqrt(0.5) * vec(1)).error(), 1e-15);
  // Inside, where no bound is near, no multiplier helps.
  EXPECT_GT(certify(problem, vec(-0.8, -0.8), vec(1 / 1.6)).error(), 0.1);
}

TEST(CertifySmooth, EqualitiesTakeBothSigns) {
  const Problem problem = in_a_circle(2);
  EXPECT_EQ(certify(problem, vec(-1, -1), vec(0.5)).error(), 0);
  EXPECT_EQ(certify(problem, vec(1, 1), vec(-0.5)).error(), 0);
  EXPECT_EQ(certify(problem, vec(0.5, 0.5), vec(-1)).feasibility.relative, 0.75);
}

TEST(CertifySmooth, FitsMultipliersToTheJacobianAtThePoint) {
  const Certificate c = certify(in_a_circle(), vec(-1, -1), vec(0), {.improve_multipliers = true});
  EXPECT_TRUE(c.multipliers_improved);
  EXPECT_NEAR(c.multipliers[0], 0.5, 1e-12);
  EXPECT_LT(c.error(), 1e-12);
}

TEST(CertifySmooth, RefusesWhatIsNotFinite) {
  for (const double bad : {std::nan(""), infinity, -infinity}) {
    Problem problem(Quadratic(test::sparse(Matrix::Zero(2, 2)), vec(1, 1)));
    problem.subject_to_smooth(Broken{{vec(1, 1)}, bad}, vec(-infinity), vec(2));
    EXPECT_EQ(certify(problem, vec(-1, -1), vec(0.5)).error(), infinity);
  }
  Problem problem(Quadratic(test::sparse(Matrix::Zero(2, 2)), vec(1, 1)));
  problem.subject_to_smooth(BrokenSlope{{vec(1, 1)}}, vec(-infinity), vec(2));
  EXPECT_EQ(certify(problem, vec(-1, -1), vec(0.5)).error(), infinity);
}

TEST(CertifySmooth, NoVerdictDependsOnUnits) {
  const auto judge = [](const Vector& unit, double row_unit, double objective_unit, const Vector& x) {
    Problem problem(
        Quadratic(test::sparse(objective_unit * unit.cwiseAbs2().cwiseInverse().asDiagonal().toDenseMatrix()),
                  objective_unit * vec(1, 3).cwiseQuotient(unit)));
    problem.within(Box(vec(-1, -9).cwiseProduct(unit), vec(5, 9).cwiseProduct(unit)));
    problem.subject_to_smooth(Ellipse{unit, row_unit}, vec(-infinity), vec(2 * row_unit));
    return certify(problem, x.cwiseProduct(unit), vec(0.7 * objective_unit / row_unit));
  };
  for (const Vector& x : {vec(-1, -1), vec(-1.2, -1), vec(-0.3, -1.4), vec(0.2, -1.3)}) {
    const Certificate plain = judge(vec(1, 1), 1, 1, x);
    const Certificate other = judge(vec(std::exp2(30), std::exp2(-20)), std::exp2(25), std::exp2(-33), x);
    EXPECT_EQ(other.feasibility.relative, plain.feasibility.relative);
    EXPECT_EQ(other.set_distance.relative, plain.set_distance.relative);
    EXPECT_NEAR(other.stationarity.relative, plain.stationarity.relative, 1e-15);
    EXPECT_NEAR(other.complementarity.relative, plain.complementarity.relative, 1e-15);
  }
}

TEST(CertifySmooth, InputErrors) {
  EXPECT_THROW(certify(in_a_circle(), vec(-1, -1), Vector()), InputError);
  EXPECT_THROW(certify(in_a_circle(), vec(-1, -1), vec(1, 1)), InputError);
}

}  // namespace
}  // namespace bridle
