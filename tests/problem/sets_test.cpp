// Every set passes the same properties: add a line to `all_sets` for a new one.
#include "bridle/problem/sets/sets.hpp"

#include <array>
#include <cmath>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "bridle/core/random.hpp"

#include "tests/allocations.hpp"

namespace bridle {
namespace {

const Stream stream(20240611, Purpose::generator);

Vector random_vector(Index n, std::uint64_t counter, double size = 1) {
  Vector out(n);
  stream.fill_normal(out, counter);
  return size * out;
}

template <class... Numbers>
Vector vec(Numbers... numbers) {
  return Vector{{static_cast<double>(numbers)...}};
}

Vector projected(const AnySet& set, Vector x) {
  set.project(x);
  return x;
}

Vector tangent(const AnySet& set, const Vector& x, Vector direction) {
  set.project_tangent(x, direction);
  return direction;
}

Vector admissible_scale(const AnySet& set, std::uint64_t counter) {
  Vector scale = random_vector(set.dimension(), counter).array().exp();
  set.make_admissible(scale);
  return scale;
}

// Twelve rows in R^5 with the origin inside; two repeat others, one is a sum, one is far away.
Polyhedron redundant_rows() {
  Matrix rows = random_vector(60, 900).reshaped(12, 5);
  rows.row(8) = rows.row(2);
  rows.row(9) = 3 * rows.row(4);
  rows.row(10) = rows.row(0) + rows.row(1);
  return {rows, vec(1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 2, 1e4)};
}

// 3 x 3 doubly stochastic matrices: equations as opposite rows, one of them redundant; degenerate corners.
Polyhedron doubly_stochastic() {
  Matrix rows = Matrix::Zero(21, 9);
  rows.topRows(9).diagonal().setConstant(-1);
  for (Index i = 0; i < 3; ++i)
    for (Index j = 0; j < 3; ++j) rows(9 + i, 3 * i + j) = rows(12 + j, 3 * i + j) = 1;
  rows.bottomRows(6) = -rows.middleRows(9, 6);
  return {rows, vec(0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1)};
}

// The ordered cone as a polyhedron: more equal corners than dimensions, h = 0.
Polyhedron cone_rows() {
  Matrix rows = Matrix::Zero(6, 4);
  for (Index i = 0, r = 0; i < 4; ++i)
    for (Index j = i + 1; j < 4; ++j, ++r) rows(r, i) = 1, rows(r, j) = -1;
  return {rows, Vector::Zero(6)};
}

Product nested() {
  const Product inner(4, {{{3, 0}, Simplex(2, 2)}, {{1}, Box(vec(0), vec(infinity))}});
  return {9, {{{7, 0, 5, 2}, inner}, {index_range(3, 2), L1Ball(2, 1)}, {{8, 6}, OrderedCone(2)}}};
}

using NamedSet = std::pair<std::string, AnySet>;

std::vector<NamedSet> all_sets() {
  return {
      {"whole_space", WholeSpace(3)},
      {"box", Box(vec(-1, 0, -infinity, 2), vec(1, infinity, 3, 2))},
      {"simplex", Simplex(7)},
      {"simplex_of_one", Simplex(1, 3)},
      {"simplex_large", Simplex(200, 1e4)},
      {"bounded_simplex", BoundedSimplex(vec(0, 0.1, 0, 0.2, 0), vec(0.3, 0.5, infinity, 0.2, 0.25))},
      {"bounded_simplex_large", BoundedSimplex(Vector::Zero(200), Vector::Constant(200, 200), 1e4)},
      {"bounded_simplex_of_one_point", BoundedSimplex(Vector::Zero(4), Vector::Constant(4, 0.25))},
      {"l1_ball", L1Ball(6, 2)},
      {"l1_ball_small", L1Ball(50, 1e-3)},
      {"half_space", HalfSpace(vec(1, -2, 0.5), 0.7)},
      {"half_space_through_origin", HalfSpace(vec(1e-9, 2e-9), 0)},
      {"hyperplane", Hyperplane(vec(3, 4, 0, 1), -2)},
      {"ordered_cone", OrderedCone(12)},
      {"polyhedron", redundant_rows()},
      {"polyhedron_doubly_stochastic", doubly_stochastic()},
      {"polyhedron_cone", cone_rows()},
      {"polyhedron_many_rows", Polyhedron(random_vector(800, 901).reshaped(80, 10), Vector::Ones(80))},
      {"polyhedron_without_rows", Polyhedron(Matrix::Zero(1, 3), vec(0))},
      {"product_of_ranges", Product(9, {{index_range(1, 4), Simplex(4)}, {index_range(5, 3), L1Ball(3, 1)}})},
      {"product_nested", nested()},
      {"product_with_polyhedron", Product(11, {{{9, 1, 3, 0, 10}, redundant_rows()}})},
  };
}

// All of them, and each after a random change of variables.
std::vector<NamedSet> all_sets_and_scaled() {
  std::vector<NamedSet> sets;
  for (const auto& [name, set] : all_sets()) {
    sets.emplace_back(name, set);
    sets.emplace_back(name + "_scaled", set.scaled(admissible_scale(set, 800)));
  }
  return sets;
}

class SetTest : public testing::TestWithParam<NamedSet> {
 protected:
  const AnySet set_ = GetParam().second;
  const Index n_ = set_.dimension();

  // Far and near, inside and outside.
  Vector point(std::uint64_t trial) const {
    return random_vector(n_, trial, std::array{0.1, 1.0, 30.0, 1e4}[trial % 4]);
  }
};

constexpr std::uint64_t trials = 40;

TEST_P(SetTest, Projection) {
  for (std::uint64_t trial = 0; trial < trials; ++trial) {
    const Vector y = point(trial), x = projected(set_, y), other = point(trial + 1001);
    const double scale = 1 + x.norm() + y.norm();
    EXPECT_LE((projected(set_, x) - x).norm(), 1e-10 * (1 + x.norm()));
    EXPECT_LE((x - projected(set_, other)).norm(), (y - other).norm() * (1 + 1e-10) + 1e-12 * scale);
    for (std::uint64_t k = 0; k < 10; ++k) {
      const Vector v = projected(set_, point(2000 + 10 * trial + k));
      EXPECT_LE((y - x).dot(v - x), 1e-10 * scale * (scale + v.norm()));
    }
    EXPECT_LE(tangent(set_, x, y - x).norm(), 1e-9 * scale) << "y - x must be normal to the set at x";
  }
  Vector broken = point(1);
  broken[0] = std::nan("");
  EXPECT_TRUE(projected(set_, broken).hasNaN()) << "the solver must see what went wrong";
}

TEST_P(SetTest, Tangent) {
  for (std::uint64_t trial = 0; trial < trials; ++trial) {
    const Vector x = projected(set_, point(trial)), d = random_vector(n_, 3000 + trial);
    const Vector t = tangent(set_, x, d), rest = d - t;
    EXPECT_LE((tangent(set_, x, t) - t).norm(), 1e-10 * d.norm());
    EXPECT_LE(std::abs(rest.dot(t)), 1e-10 * d.squaredNorm());
    for (std::uint64_t k = 0; k < 10; ++k) {
      const Vector v = projected(set_, point(4000 + 10 * trial + k));
      EXPECT_LE(rest.dot(v - x), 1e-10 * d.norm() * (1 + v.norm() + x.norm())) << "rest must be normal at x";
    }
    // P(x + s d) = x + s P_T(d) for small s, since the set is a polyhedron.
    double error = infinity;
    for (double s = 1e-2; s > 1e-9; s /= 10)
      error = std::min(error, ((projected(set_, x + s * d) - x) / s - t).norm());
    EXPECT_LE(error, 1e-6 * d.norm());
  }
}

TEST_P(SetTest, ChangeOfVariables) {
  for (std::uint64_t trial = 0; trial < trials; ++trial) {
    const Vector scale = admissible_scale(set_, 5000 + trial);
    ASSERT_GT(scale.minCoeff(), 0);
    const AnySet changed = set_.scaled(scale);
    const Vector v = point(trial), x = scale.cwiseProduct(v);
    const Vector in = projected(changed, v), in_x = projected(set_, x);
    const double size = 1 + v.norm() + x.norm();
    const Vector there = scale.cwiseProduct(in), back = in_x.cwiseQuotient(scale);
    EXPECT_LE((projected(set_, there) - there).norm(), 1e-9 * (1 + there.norm()));
    EXPECT_LE((projected(changed, back) - back).norm(), 1e-9 * (1 + back.norm()));
    EXPECT_EQ((in - v).norm() > 1e-9 * size, (in_x - x).norm() > 1e-9 * size);
  }
}

TEST_P(SetTest, DoesNotAllocateAfterTheFirstCall) {
#ifndef BRIDLE_COUNTS_MALLOC
  GTEST_SKIP() << "another malloc is in use";
#else
  const long at_first = allocations;
  Vector probe = Vector::Zero(100);
  ASSERT_GT(allocations, at_first) << "the counter does not count";
  for (std::uint64_t trial = 0; trial < trials; ++trial) {
    Vector x = point(trial), direction = random_vector(n_, 6000 + trial);
    const long before = allocations;
    set_.project(x);
    set_.project_tangent(x, direction);
    EXPECT_TRUE(trial == 0 || allocations == before) << allocations - before << " allocations";
  }
#endif
}

INSTANTIATE_TEST_SUITE_P(Sets, SetTest, testing::ValuesIn(all_sets_and_scaled()),
                         [](const auto& test) { return test.param.first; });

void expect_near(const Vector& actual, const Vector& expected) {
  EXPECT_LE((actual - expected).norm(), 1e-12) << actual.transpose() << " is not " << expected.transpose();
}

TEST(Sets, ByHand) {
  Matrix rows(3, 2);
  rows << -1, 0, 0, -1, 1, 1;
  const Polyhedron triangle(rows, vec(0, 0, 1));
  const Product product(5, {{{4, 1}, Simplex(2)}, {{2}, Box(vec(0), vec(1))}});
  expect_near(projected(Simplex(3), vec(0.5, 0.9, -4)), vec(0.3, 0.7, 0));
  EXPECT_EQ(projected(Simplex(3), vec(0.5, 0.9, -4))[2], 0);
  expect_near(projected(Simplex(2, 4), vec(1e9 + 1, 1e9)), vec(2.5, 1.5));
  const BoundedSimplex capped(vec(0, 0, 0.1), vec(0.6, 1, 1));
  expect_near(projected(capped, vec(3, 0.5, -4)), vec(0.6, 0.3, 0.1));
  EXPECT_EQ(projected(capped, vec(3, 0.5, -4))[0], 0.6);
  expect_near(projected(BoundedSimplex(vec(0, 0), vec(3, 3), 4), vec(1e9 + 1, 1e9)), vec(2.5, 1.5));
  expect_near(projected(L1Ball(3, 2), vec(-2, 1.5, 0.1)), vec(-1.25, 0.75, 0));
  expect_near(projected(HalfSpace(vec(3, 4), 5), vec(6, 8)), vec(0.6, 0.8));
  expect_near(projected(Hyperplane(vec(3, 4), 5), vec(-6, -8)), vec(0.6, 0.8));
  expect_near(projected(OrderedCone(5), vec(1, 3, 2, 0, 4)), vec(1, 5. / 3, 5. / 3, 5. / 3, 4));
  expect_near(projected(triangle, vec(2, 1)), vec(1, 0));
  expect_near(projected(triangle, vec(1, 1)), vec(0.5, 0.5));
  expect_near(projected(triangle, vec(-1, -3)), vec(0, 0));
  expect_near(projected(cone_rows(), vec(4, 1, 2, 0)), projected(OrderedCone(4), vec(4, 1, 2, 0)));
  expect_near(projected(product, vec(7, 3, -2, 8, 0)), vec(7, 1, 0, 8, 0));

  expect_near(tangent(Simplex(3), vec(0.3, 0.7, 0), vec(1, 3, 0)), vec(-1, 1, 0));
  expect_near(tangent(Simplex(3), vec(0.3, 0.7, 0), vec(0, 0, 3)), vec(-1, -1, 2));
  expect_near(tangent(Simplex(3), vec(0, 1, 0), vec(5, 1, 0)), vec(2, -2, 0));
  expect_near(tangent(L1Ball(2, 1), vec(1, 0), vec(3, -1)), vec(0, 0));
  expect_near(tangent(L1Ball(2, 1), vec(-1, 0), vec(1, 5)), vec(3, 3));
  expect_near(tangent(L1Ball(2, 1), vec(0.4, -0.6), vec(1, 0)), vec(0.5, 0.5));
  expect_near(tangent(L1Ball(2, 1), vec(0.4, -0.5), vec(1, 0)), vec(1, 0));
  expect_near(tangent(HalfSpace(vec(3, 4), 5), vec(0.6, 0.8), vec(3, 4)), vec(0, 0));
  expect_near(tangent(HalfSpace(vec(3, 4), 5), vec(0.6, 0.8), vec(-3, -4)), vec(-3, -4));
  expect_near(tangent(OrderedCone(4), vec(1, 1, 2, 2), vec(2, 0, 0, 1)), vec(1, 1, 0, 1));
  expect_near(tangent(triangle, vec(1, 0), vec(1, 0.5)), vec(0, 0));
  expect_near(tangent(triangle, vec(1, 0), vec(0, 1)), vec(-0.5, 0.5));
  expect_near(tangent(product, vec(7, 1, 0, 8, 0), vec(1, 2, -1, 1, 4)), vec(1, -1, 0, 1, 1));
}

// Rows 1e-6 apart in angle meet in a corner far away; rows that miss each other by rounding are an equation.
TEST(Sets, PolyhedronIllConditioned) {
  Matrix wedge(2, 2), slab(2, 2);
  wedge << 0, 1, 1e-6, -1;
  slab << 1, 1, -1, -1;
  const Vector corner = projected(Polyhedron(wedge, vec(1, 0)), vec(3e6, 50));
  EXPECT_LE((corner - vec(1e6, 1)).norm(), 1e-10 * corner.norm());
  expect_near(projected(Polyhedron(slab, vec(1, -1 - 1e-11)), vec(1, 1)), vec(0.5, 0.5));
}

TEST(Sets, ProductOfBoxesIsABox) {
  const AnySet boxes =
      Product(4, {{{3, 0}, Box(vec(-1, -2), vec(1, infinity))}, {{1}, Product(1, {{{0}, WholeSpace(1)}})}});
  EXPECT_EQ(boxes.bounds().value().lower, vec(-2, -infinity, -infinity, -1));
  EXPECT_EQ(boxes.bounds().value().upper, vec(infinity, infinity, infinity, 1));
  EXPECT_FALSE(AnySet(Product(2, {{{0, 1}, Simplex(2)}})).bounds());
  EXPECT_FALSE(AnySet(Simplex(2)).bounds());
}

TEST(Sets, InputErrors) {
  Matrix rows(4, 2);
  rows << 0, 1, 1, 1, 0, 0, -1, -1;
  const double nan = std::nan("");
  const auto product = [](const std::vector<Index>& indices, std::size_t times) {
    Product(2, std::vector<Product::Block>(times, {indices, WholeSpace(1)}));
  };
  const std::pair<std::string, std::function<void()>> mistakes[] = {
      {"simplex: dimension 0; at least 1 is required", [] { Simplex(0); }},
      {"simplex with bounds: the upper bounds sum to 0.5, the variables must sum to 1",
       [] { BoundedSimplex(vec(0, 0), vec(0.25, 0.25)); }},
      {"simplex with bounds: the lower bounds sum to 1.5, the variables must sum to 1",
       [] { BoundedSimplex(vec(0.75, 0.75), vec(1, 1)); }},
      {"simplex: total -0.5; a positive finite number is required", [] { Simplex(3, -0.5); }},
      {"simplex: scale factors 1 and 2; one common factor is required", [] { Simplex(2).scaled(vec(1, 2)); }},
      {"l1 ball: radius inf; a positive finite number is required", [] { L1Ball(3, infinity); }},
      {"ordered cone: dimension -1; at least 1 is required", [] { OrderedCone(-1); }},
      {"half-space: a = 0; a nonzero a is required", [] { HalfSpace(vec(0, 0), 1); }},
      {"half-space: dimension 0; at least 1 is required", [] { HalfSpace(Vector(), 1); }},
      {"hyperplane: a[1] = nan; a finite number is required", [=] { Hyperplane(vec(1, nan), 1); }},
      {"hyperplane: b = inf; a finite number is required", [] { Hyperplane(vec(1), infinity); }},
      {"polyhedron: 4 rows but 2 limits; one limit per row", [&] { Polyhedron(rows, vec(1, 1)); }},
      {"polyhedron: row 2 is zero and has limit -2; a zero", [&] { Polyhedron(rows, vec(1, 1, -2, 5)); }},
      {"polyhedron: row 0 has limit nan; a number or", [&] { Polyhedron(rows, vec(nan, 1, 0, 5)); }},
      {"polyhedron: no x satisfies rows 1, 3 together;", [&] { Polyhedron(rows, vec(1, 1, 0, -1.5)); }},
      {"product: block 0 has index 2; 0 <= index < 2 is required", [&] { product(index_range(2, 1), 1); }},
      {"product: block 1 has index 0, which block 0 has already", [&] { product(index_range(0, 1), 2); }},
      {"product: block 0 has 2 indices but its set has dimension 1", [&] { product(index_range(0, 2), 1); }},
  };
  for (const auto& [message, make] : mistakes) try {
      make();
      ADD_FAILURE() << "not refused: " << message;
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()).substr(0, message.size()), message);
    }
}

}  // namespace
}  // namespace bridle
