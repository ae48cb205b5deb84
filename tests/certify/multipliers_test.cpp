// The judge's own multipliers: exact on planted problems, and never worse than those it was given.
#include "bridle/certify/multipliers.hpp"

#include <gtest/gtest.h>

#include "bridle/certify/certify.hpp"
#include "bridle/problem/sets/sets.hpp"

#include "tests/planted.hpp"

namespace bridle {
namespace {

using test::random_vector;
using test::vec;

constexpr Index n = 12;

struct NamedSet {
  std::string name;
  AnySet set;
};

std::vector<NamedSet> sets() {
  return {{"whole_space", WholeSpace(n)},
          {"box", Box(Vector::Constant(n, -1), Vector::Constant(n, 1.5))},
          {"simplex", Simplex(n, 4)},
          {"half_space", HalfSpace(random_vector(n, 1), -3)},
          {"l1_ball", L1Ball(n, 5)},
          {"ordered_cone", OrderedCone(n)},
          {"product", Product(n, {{index_range(0, 5), Simplex(5)},
                                  {index_range(6, 4), Box(Vector::Zero(4), Vector::Ones(4))}})}};
}

class MultipliersTest : public testing::TestWithParam<NamedSet> {
 protected:
  const Vector spectrum_ = Vector::LinSpaced(n, -2, 5);
  Certificate improved(const Problem& problem, const Vector& x, const Vector& y) const {
    return certify(problem, x, y, {.improve_multipliers = true});
  }
};

INSTANTIATE_TEST_SUITE_P(Sets, MultipliersTest, testing::ValuesIn(sets()),
                         [](const auto& test) { return test.param.name; });

TEST_P(MultipliersTest, ThePlantedPointIsAccepted) {
  for (std::uint64_t k = 0; k < 5; ++k) {
    const auto [problem, x, y] = test::plant(GetParam().set, spectrum_, {2, 2, 3}, 100 + k);
    EXPECT_LE(certify(problem, x, y).error(), 1e-13);
  }
}

// Two equalities and one or two touched inequalities leave the multipliers unique whatever the set holds.
TEST_P(MultipliersTest, RecoversThePlantedMultipliers) {
  for (std::uint64_t k = 0; k < 5; ++k) {
    const auto [problem, x, y] = test::plant(GetParam().set, spectrum_, {1, 1, 3}, 200 + k);
    for (const Vector& start : {Vector(Vector::Zero(y.size())), random_vector(y.size(), 300 + k, 10)}) {
      const Certificate c = improved(problem, x, start);
      EXPECT_TRUE(c.multipliers_improved);
      EXPECT_LE(c.error(), 1e-10);
      EXPECT_LE((c.multipliers - y).norm(), 1e-7 * (1 + y.norm())) << c.multipliers.transpose();
    }
  }
}

// Dependent rows: y is not unique, but there is one, and it pulls as hard as the planted one. (Where X's own
// normals are dependent with rows, only the error is told.)
TEST_P(MultipliersTest, DependentRows) {
  for (std::uint64_t k = 0; k < 5; ++k) {
    const auto [problem, x, y] = test::plant(GetParam().set, spectrum_, {2, 2, 1, true}, 400 + k);
    const Certificate c = improved(problem, x, Vector::Zero(y.size()));
    EXPECT_LE(c.error(), 1e-9);
    EXPECT_TRUE(c.multipliers.allFinite());
    EXPECT_LE(c.multipliers.norm(), 1e3 * (1 + y.norm())) << "no huge multipliers that cancel";
  }
}

// More touched rows than variables: degenerate.
TEST_P(MultipliersTest, DegenerateRows) {
  for (std::uint64_t k = 0; k < 3; ++k) {
    const auto [problem, x, y] = test::plant(GetParam().set, spectrum_, {0, n + 6, 2}, 500 + k);
    EXPECT_LE(improved(problem, x, Vector::Zero(y.size())).error(), 1e-9);
  }
}

TEST_P(MultipliersTest, NeverMakesTheErrorLarger) {
  for (std::uint64_t k = 0; k < 12; ++k) {
    const auto [problem, x, y] = test::plant(GetParam().set, spectrum_, {2, 3, 3, k % 2 == 0}, 600 + k);
    for (const double off : {0.0, 1e-9, 1e-5, 1e-2, 10.0}) {
      Vector near = x + off * random_vector(n, 700 + k);
      if (k % 3 != 0) problem.set().project(near);
      const Vector start = y + off * random_vector(y.size(), 800 + k);
      const double before = certify(problem, near, start).error(),
                   after = improved(problem, near, start).error();
      EXPECT_LE(after, before) << "off by " << off;
    }
  }
}

// What is wrong with the point itself cannot be mended: a point off the planted one stays refused.
TEST_P(MultipliersTest, DoesNotHideABadPoint) {
  const auto [problem, x, y] = test::plant(GetParam().set, spectrum_, {2, 2, 3}, 900);
  Vector off = x + 0.3 * random_vector(n, 901);
  problem.set().project(off);
  EXPECT_GT(improved(problem, off, y).error(), 1e-3);
}

TEST(Multipliers, Bounds) {
  Problem problem(Quadratic(test::sparse(Matrix::Identity(1, 1)), vec(0)));
  problem.subject_to(Matrix(Matrix::Ones(5, 1)), vec(0, -infinity, 1, -5, 0.5), vec(1, 1, 1, 5, infinity));
  const Vector activity = Vector::Constant(5, 1 - 1e-7);
  const auto within = [&](double width) {
    return multiplier_bounds(problem.rows(), activity,
                             [&](Index i, double bound) { return std::abs(activity[i] - bound) <= width; });
  };
  const auto [lower, upper, anchor] = within(1e-6);
  EXPECT_EQ(lower, vec(0, 0, -infinity, 0, 0));
  EXPECT_EQ(upper, vec(infinity, infinity, infinity, 0, 0));
  const auto [low, high, point] = within(1e-8);
  EXPECT_EQ(low, vec(0, 0, -infinity, 0, 0)) << "an equality is always touched";
  EXPECT_EQ(high, vec(0, 0, infinity, 0, 0));
}

// 450 rows with an entry each: the conjugate-gradient path beyond 400 free multipliers.
// x is 1e-10 from its bound 0, nothing beside the 1e5 that the first row could take of it, but worth all of
// f: it is the second row that holds it.
TEST(Multipliers, AShortWayThatIsWorthMuchIsNoTouch) {
  Problem problem(Quadratic(test::sparse(Matrix::Zero(2, 2)), vec(1e6, 1e-6)));
  problem.within(Box(vec(0, 0), vec(infinity, infinity)));
  problem.subject_to(Matrix{{1e-5, 1e5}, {1e7, 0}}, vec(1, 1e-3), vec(infinity, infinity));
  const Certificate c = certify(problem, vec(1e-10, 1e-5), vec(0, 0), {.improve_multipliers = true});
  EXPECT_LE(c.error(), 1e-14);
  EXPECT_NEAR(c.multipliers[1], -0.1, 1e-12);
}

TEST(Multipliers, ManyRows) {
  const Index many = 450;
  const Vector diagonal = Vector::LinSpaced(many, 0.1, 10), x = random_vector(many, 1000);
  const Matrix rows = diagonal.asDiagonal();
  Problem problem(Quadratic(test::sparse(Matrix::Identity(many, many)), Vector::Zero(many)));
  problem.subject_to(rows, rows * x, rows * x);
  const Certificate c = certify(problem, x, Vector::Zero(many), {.improve_multipliers = true});
  EXPECT_LE(c.error(), 1e-9);
  test::expect_near(c.multipliers, -x.cwiseQuotient(diagonal), 1e-6);
}

// A set that counts how often it is asked for a tangent cone: a pass over all variables each time.
struct CountedSpace {
  Index variables;
  std::shared_ptr<int> asked = std::make_shared<int>(0);

  Index dimension() const { return variables; }
  void project(VectorRef) const {}
  void project_tangent(ConstVectorRef, VectorRef) const { ++*asked; }
  void make_admissible(VectorRef scale) const { scale.setOnes(); }
  CountedSpace scaled(ConstVectorRef) const { return *this; }
};

// Where y cannot be bettered, rounding must not send the fit through halvings of a step that leads nowhere.
TEST(Multipliers, AFitThatIsDoneIsLeftAlone) {
  const CountedSpace space{1000};
  Problem problem(Quadratic(test::sparse(Matrix::Identity(1000, 1000)), Vector::Zero(1000)));
  problem.within(space);
  problem.subject_to(Matrix(random_vector(1000, 2).transpose()), vec(0.5), vec(0.5));
  const MultiplierBounds bounds{vec(-infinity), vec(infinity)};
  const Vector gradient = random_vector(1000, 3), weights = Vector::Ones(1000), x = Vector::Zero(1000);
  const Vector best = fit_multipliers(problem, x, gradient, weights, bounds, vec(0));
  // The least squares solution, whose residual is at right angles to the row.
  const Vector row = random_vector(1000, 2);
  EXPECT_NEAR(best[0], -row.dot(gradient) / row.squaredNorm(), 1e-12);
  *space.asked = 0;
  fit_multipliers(problem, x, gradient, weights, bounds, best);
  EXPECT_LE(*space.asked, 10);  // 46 where every halving is tried
}

}  // namespace
}  // namespace bridle
