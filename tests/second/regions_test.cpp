// Second-order steps over regions of every kind: sets that are no boxes, rows that degenerate, many rows.
#include <cmath>

#include <gtest/gtest.h>

#include "bridle/certify/certify.hpp"
#include "bridle/core/threads.hpp"
#include "bridle/problem/objectives/quadratic.hpp"
#include "bridle/second/improve.hpp"

#include "tests/second/improving.hpp"
#include "tests/second/problems.hpp"

namespace bridle {
namespace {

using second::End;
using second::Outcome;
using test::by;
using test::Data;
using test::improve;
using test::judged;
using test::small_model;
using test::vec;

TEST(SecondOrder, SetsThatAreNoBoxes) {
  const LinearModel model = small_model(LogisticLoss{});
  const Index n = model.dimension();
  const std::pair<const char*, AnySet> sets[] = {
      {"simplex", Simplex(n, 2)},
      {"ordered", OrderedCone(n)},
      {"half-space", HalfSpace(test::random_vector(n, 1), 0.1)},
      {"l1 ball", L1Ball(n, 0.5)},
      {"large l1 ball", L1Ball(n, 100)},
      {"product with an l1 ball",
       Product(n, {{{9, 2, 4, 0, 1, 3}, L1Ball(6, 0.2)}, {index_range(5, 3), Simplex(3)}})},
      {"hyperplane", Hyperplane(test::random_vector(n, 2), 0.3)},
      {"product", Product(n, {{index_range(0, 5), Simplex(5)},
                              {{7, 6}, Box(vec(0, 0), vec(1, infinity))},
                              {index_range(8, 3), OrderedCone(3)}})}};
  for (const auto& [name, set] : sets)
    for (const auto path : {second::Path::dense, second::Path::products}) {
      Problem problem(model);
      problem.within(set);
      const Outcome outcome = improve(problem, test::random_vector(n, 5), by(path));
      EXPECT_LE(judged(problem, outcome), 1e-7) << name << ": " << second::meaning(outcome.end);
    }
}

// From a vertex of the ball in the wrong orthant, with a row across it: signs change on the way.
TEST(SecondOrder, L1BallWithARow) {
  for (const Loss& loss :
       {Loss(LogisticLoss{}), Loss(LogisticDifferenceLoss{}), Loss(SmoothedZeroOneLoss{})}) {
    const LinearModel model = small_model(loss);
    const Index n = model.dimension();
    Problem problem(model);
    problem.within(L1Ball(n, 0.7)).subject_to(test::random_matrix(1, n, 3), vec(0.05), vec(0.1));
    Vector gradient(n), start = Vector::Zero(n);
    problem.objective().mean_gradient(start, gradient);
    Index steepest = 0;
    gradient.cwiseAbs().maxCoeff(&steepest);
    start[steepest] = std::copysign(0.7, gradient[steepest]);
    for (const auto path : {second::Path::dense, second::Path::products}) {
      second::Options options = by(path);
      options.judge = [&](const Vector& x, const Vector& y) { return certify(problem, x, y).error(); };
      const Outcome outcome = improve(problem, start, options);
      EXPECT_LE(judged(problem, outcome), 1e-7) << loss_name(loss) << ": " << second::meaning(outcome.end);
      EXPECT_LT(outcome.x[steepest] * start[steepest], 0.69 * 0.7);
    }
  }
}

// Each row twice, in other units, and with the opposite sign; a row that follows from two others.
TEST(SecondOrder, DegenerateRows) {
  const LinearModel model = small_model(LogisticLoss{});
  const Matrix one = test::random_matrix(3, 12, 8);
  Matrix rows(13, 12);
  rows << one, 2 * one, -one, one, one.row(0) + one.row(1);
  Vector lower(13), upper(13);
  const Vector width = vec(0.01, 0.02, 0);
  lower << -width, -2 * width, -width, -width, -0.03;
  upper = -lower;
  Problem problem(model);
  problem.subject_to(rows, lower, upper);
  for (const auto path : {second::Path::dense, second::Path::products}) {
    const Outcome outcome = improve(problem, Vector::Zero(12), by(path));
    CertifyOptions how;
    how.improve_multipliers = true;
    EXPECT_LE(certify(problem, outcome.x, outcome.multipliers, how).error(), 1e-8)
        << second::meaning(outcome.end);
  }
}

TEST(SecondOrder, AnInfeasibleStartIsProjected) {
  const Problem problem = test::with_rows(small_model(LogisticLoss{}), 5);
  for (const auto path : {second::Path::dense, second::Path::products}) {
    const Outcome outcome = improve(problem, Vector::Constant(12, 1e3), by(path));
    EXPECT_LE(judged(problem, outcome), 1e-8);
  }
  Problem empty(small_model(LogisticLoss{}));
  empty.within(Box(Vector::Zero(12), Vector::Ones(12))).subject_to(Matrix::Ones(1, 12), vec(20), vec(30));
  EXPECT_EQ(second::improve(empty, {Vector::Zero(12), {}}).end, End::no_feasible_point);
}

TEST(SecondOrder, RandomPolyhedraAndModels) {
  const Loss losses[] = {LogisticDifferenceLoss{}, SmoothedZeroOneLoss{}, CauchyLoss{}, TukeyLoss{},
                         LogisticLoss{}};
  for (std::uint64_t k = 0; k < 30; ++k) {
    const Loss& loss = losses[k % 5];
    const Problem problem = test::with_rows(
        small_model(loss, Data::sparse, 200, 15, k % 2 ? 1e-2 : 1e-4, k + 1), 3 + k % 9, k + 1);
    const auto path = k % 3 ? second::Path::dense : second::Path::products;
    const Outcome outcome = improve(problem, test::random_vector(15, 999 + k), by(path));
    EXPECT_TRUE(outcome.end == End::converged || outcome.end == End::at_rest)
        << k << ": " << second::meaning(outcome.end);
    const double error = judged(problem, outcome);
    EXPECT_LE(error, is_convex(loss) && k % 3 ? 1e-8 : 1e-6) << k << " " << loss_name(loss);
  }
}

// 20,000 short rows, of which few matter, over few variables and over more.
TEST(SecondOrder, ManyRows) {
  for (const auto path : {second::Path::dense, second::Path::products}) {
    const Index n = 60, count = 20'000;
    const LinearModel model = small_model(LogisticLoss{}, Data::sparse, 500, n);
    std::vector<Eigen::Triplet<double>> entries;
    for (Index i = 0; i < count; ++i)
      for (std::uint32_t k = 0; k < 3; ++k)
        entries.emplace_back(
            i, static_cast<Index>(test::made_up().below(n, static_cast<std::uint64_t>(i), 7 + k)),
            test::made_up().uniform(static_cast<std::uint64_t>(i), 70 + k) - 0.5);
    SparseRows rows(count, n);
    rows.setFromTriplets(entries.begin(), entries.end());
    Problem problem(model);
    problem.subject_to(rows, Vector::Constant(count, -infinity), Vector::Constant(count, 0.3));
    auto options = by(path);
    options.look_for_saddles = false;
    const Outcome outcome = second::improve(problem, {Vector::Zero(n), {}}, options);
    EXPECT_LE(judged(problem, outcome), 1e-7) << second::meaning(outcome.end);
  }
}

// Rows over variables that are 0 in the solution have no size of their own there: what rounding leaves must
// not count as broken, nor as a gap.
TEST(SecondOrder, RowsOverZerosAreMet) {
  const LinearModel model = small_model(LogisticLoss{});
  const Index n = model.dimension();
  for (const auto path : {second::Path::dense, second::Path::products}) {
    Problem single{model};
    SparseRows one(1, n);
    one.insert(0, 6) = -0.001175138558631154;
    single.subject_to(one, Vector::Zero(1), Vector::Zero(1));
    EXPECT_LE(judged(single, second::improve(single, {Vector::Zero(n), {}}, by(path))), 1e-7);

    if (path == second::Path::products) continue;  // conjugate gradients leave more than rounding
    Problem chain{model};
    chain.within(Box(Vector::Zero(n), Vector::Constant(n, 2)));
    SparseRows rows(n - 1, n);
    for (Index i = 0; i + 1 < n; ++i) rows.insert(i, i) = 1, rows.insert(i, i + 1) = -1;
    chain.subject_to(rows, Vector::Constant(n - 1, -infinity), Vector::Zero(n - 1));
    EXPECT_LE(judged(chain, second::improve(chain, {Vector::Zero(n), {}}, by(path))), 1e-7);
  }
}

}  // namespace
}  // namespace bridle
