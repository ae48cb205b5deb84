// Psi, d, phi and their minimisers: by hand, by differences, by the judge, and against their own
// certificates.
#include "bridle/diagnose/diagnosis.hpp"

#include <gtest/gtest.h>

#include "bridle/certify/certify.hpp"
#include "bridle/problem/sets/sets.hpp"

#include "tests/properties.hpp"
#include "tests/support/diagnosis_figures.hpp"
#include "tests/support/paper_problems.hpp"

namespace bridle {
namespace {

using test::random_vector;
using test::vec;

Scaling literal() {
  Scaling scaling;
  scaling.metric = MetricKind::identity;
  return scaling;
}

// A nonconvex quadratic over a box with two equalities and two inequalities, and its diagnosis.
struct Sample_ {
  explicit Sample_(std::uint64_t seed, paper::RowKind rows = paper::RowKind::mixed, double accuracy = 1e-10)
      : instance(paper::make_instance({"", paper::Region::box, rows, {}}, seed)),
        form(instance.problem, literal()),
        diagnosis(form, constants(), accuracy) {}

  DiagnosisConstants constants() const {
    return {.mu = 3, .rho = 1.5, .smoothness = 1, .row_norm = instance.constants.row_norm};
  }
  Vector point(std::uint64_t counter, double size = 0.5) const {
    return random_vector(form.dimension(), counter, size);
  }
  Vector multipliers(std::uint64_t counter) const { return random_vector(form.rows(), counter); }

  paper::Instance instance;
  StandardForm form;
  Diagnosis diagnosis;
};

TEST(Diagnosis, EnvelopeByHandOnAPlane) {
  // c'x + (mu/2)|x - z|^2 over a'x = b: project z - c/mu.
  const Vector c = vec(1, -2, 0.5), a = vec(1, 2, 2), z = vec(0.3, 0.1, -1);
  const double b = 1.5, mu = 4;
  Problem problem(Quadratic(SparseColumns(3, 3), c));
  problem.subject_to(Matrix(a.transpose()), vec(b), vec(b));
  const StandardForm form(problem, literal());
  const Diagnosis diagnosis(form, {.mu = mu, .rho = 1, .smoothness = 0, .row_norm = 3});
  const Vector free = z - c / mu, expected = free - a * (a.dot(free) - b) / 9;
  const InnerSolution found = diagnosis.envelope(z);
  test::expect_near(found.v, expected, 1e-9);
  EXPECT_NEAR(found.value, c.dot(expected) + mu / 2 * (expected - z).squaredNorm(), 1e-9);
  EXPECT_NEAR(envelope_gradient_norm(diagnosis, z), mu * (z - expected).norm(), 1e-8);
}

TEST(Diagnosis, EnvelopeByHandWithASlack) {
  // One variable, one row x - s = 0 with s in [0, 1]: z holds both, so x = s = clamp((z_x + z_s - c/mu) / 2).
  const double c = 0.4, mu = 2;
  Problem problem(Quadratic(SparseColumns(2, 2), vec(c, 0)));
  problem.within(Box(vec(-infinity, 0), vec(infinity, 0)));
  problem.subject_to(Matrix{{1.0, 1.0}}, vec(0), vec(1));
  const StandardForm form(problem, literal());
  ASSERT_EQ(form.dimension(), 3);
  const Diagnosis diagnosis(form, {.mu = mu, .rho = 1, .smoothness = 0, .row_norm = std::sqrt(3.0)});
  for (const double shift : {-3.0, -0.2, 0.1, 0.7, 3.0}) {
    const Vector z = vec(shift, 0, 0.5);
    const double expected = std::clamp((shift + 0.5 - c / mu) / 2, 0.0, 1.0);
    test::expect_near(diagnosis.envelope(z).v, vec(expected, 0, expected), 1e-9);
  }
}

TEST(Diagnosis, EnvelopeIsWhatTheJudgeCallsStationary) {
  // xbar(z) solves the problem with f + (mu/2)|x - z|^2 in place of f; with equality rows there are no
  // slacks.
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Sample_ s(seed, paper::RowKind::equality);
    const double mu = s.constants().mu;
    const Vector z = s.point(20 + seed, 1);
    const Index n = s.form.variables();
    Vector cost(n), zero = Vector::Zero(n), column(n);
    s.instance.problem.objective().mean_gradient(zero, cost);
    Matrix hessian(n, n);
    for (Index j = 0; j < n; ++j) {
      s.instance.problem.objective().mean_gradient(Vector::Unit(n, j), column);
      hessian.col(j) = column - cost;
    }
    hessian = 0.5 * (hessian + hessian.transpose()).eval() + mu * Matrix::Identity(n, n);
    Problem held(Quadratic(test::sparse(hessian), cost - mu * z));
    held.within(s.instance.problem.set());
    const Rows& rows = s.instance.problem.rows();
    held.subject_to(rows.matrix, rows.lower, rows.upper);
    Vector x = s.diagnosis.envelope(z).v;
    const Certificate verdict =
        certify(held, x, Vector::Zero(rows.count()), {.improve_multipliers = true, .absolute = true});
    EXPECT_LE(verdict.error(), 1e-7) << "seed " << seed;
  }
}

TEST(Diagnosis, EnvelopeGradientByDifferences) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const Sample_ s(seed);
    const Vector z = s.point(30 + seed), along = s.point(40 + seed, 1).normalized();
    const double h = 1e-4;
    const double slope =
        (s.diagnosis.envelope(z + h * along).value - s.diagnosis.envelope(z - h * along).value) / (2 * h);
    const Vector gradient = s.constants().mu * (z - s.diagnosis.envelope(z).v);
    EXPECT_NEAR(slope, gradient.dot(along), 1e-6) << "seed " << seed;
    EXPECT_NEAR(envelope_gradient_norm(s.diagnosis, z), gradient.norm(), 1e-12);
  }
}

TEST(Diagnosis, DualFunctionIsConcaveAndItsGradientIsTheResidual) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const Sample_ s(seed);
    const Vector z = s.point(50 + seed), y = s.multipliers(60 + seed), other = s.multipliers(70 + seed);
    const auto d = [&](const Vector& at) { return s.diagnosis.dual_function(at, z).value; };
    for (const double share : {0.25, 0.5, 0.9})
      EXPECT_GE(d(share * y + (1 - share) * other), share * d(y) + (1 - share) * d(other) - 1e-10);
    Vector residual(s.form.rows());
    s.form.residual(s.diagnosis.dual_function(y, z).v, residual);
    const Vector along = s.multipliers(80 + seed).normalized();
    const double h = 1e-4, slope = (d(y + h * along) - d(y - h * along)) / (2 * h);
    EXPECT_NEAR(slope, residual.dot(along), 1e-6) << "seed " << seed;
  }
}

TEST(Diagnosis, WeakDualityAndOrders) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const Sample_ s(seed);
    Vector x = s.point(90 + seed);
    s.form.project(x);
    const Vector z = s.point(100 + seed), y = s.multipliers(110 + seed);
    const double d = s.diagnosis.dual_function(y, z).value, psi = s.diagnosis.envelope(z).value;
    const double phi = s.diagnosis.proximal(x, y, z).value, K = s.diagnosis.smoothed_lagrangian(x, y, z);
    EXPECT_LE(d, psi + 1e-9);
    EXPECT_LE(d, phi + 1e-9);
    EXPECT_LE(phi, K + 1e-9);
    EXPECT_NEAR(s.diagnosis.potential(x, y, z), phi - 2 * d + 2 * psi, 1e-9);
    EXPECT_GE(s.diagnosis.potential(x, y, z), psi - 1e-9) << "V >= Psi is what makes descent worth anything";
    Iterate iterate;
    iterate.x = x, iterate.y = y, iterate.z = z;
    EXPECT_NEAR(certain_potential(s.diagnosis, iterate), K - 2 * d + 2 * psi, 1e-9);
  }
}

// Rows that are nearly parallel: a small residual no longer means that the minimiser is near.
TEST(Diagnosis, EnvelopeCertificateIsHonestOnNearlyParallelRows) {
  for (const double angle : {0.1, 0.01, 0.001}) {
    const Matrix rows{{1, 0, 0}, {1, angle, 0}};
    const Vector right = vec(0.2, 0.2 - 0.5 * angle), c = vec(1, -2, 1), z = vec(0.5, 0.5, 0);
    Problem problem(Quadratic(SparseColumns(3, 3), c));
    problem.subject_to(rows, right, right);
    const StandardForm form(problem, literal());
    const Vector expected = vec(0.2, -0.5, -0.25);  // the rows fix the first two, the last is z - c/mu
    for (const double accuracy : {1e-2, 1e-4, 1e-6}) {
      const Diagnosis diagnosis(form, {.mu = 4, .rho = 1, .smoothness = 0, .row_norm = 1.5}, accuracy);
      const InnerSolution found = diagnosis.envelope(z);
      EXPECT_LE((found.v - expected).norm(), found.error) << "angle " << angle << ", accuracy " << accuracy;
    }
  }
}

TEST(Diagnosis, CertificatesAreHonest) {
  for (std::uint64_t seed = 0; seed < 30; ++seed)
    for (const double accuracy : {1e-1, 1e-2, 1e-4, 1e-6}) {
      const Sample_ exact(seed, paper::RowKind::mixed, 1e-11), rough(seed, paper::RowKind::mixed, accuracy);
      const Vector z = exact.point(120 + seed), y = exact.multipliers(130 + seed);
      Vector x = exact.point(140 + seed);
      exact.form.project(x);
      const auto expect_honest = [&](const InnerSolution& loose, const InnerSolution& tight,
                                     const char* what) {
        EXPECT_LE((loose.v - tight.v).norm(), loose.error + tight.error) << what << ", seed " << seed;
        EXPECT_LE(loose.error, 20 * accuracy) << what << ", seed " << seed;
      };
      expect_honest(rough.diagnosis.dual_function(y, z), exact.diagnosis.dual_function(y, z), "x*");
      expect_honest(rough.diagnosis.proximal(x, y, z), exact.diagnosis.proximal(x, y, z), "u*");
      expect_honest(rough.diagnosis.envelope(z), exact.diagnosis.envelope(z), "xbar");
      Vector residual(exact.form.rows());
      const InnerSolution loose = rough.diagnosis.envelope(z);
      exact.form.residual(loose.v, residual);
      EXPECT_LE(residual.norm(), loose.error);
    }
}

}  // namespace
}  // namespace bridle
