// The second-order phase ends where the judge is content, by any path, over any region.
#include "bridle/second/improve.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "bridle/certify/certify.hpp"
#include "bridle/core/threads.hpp"
#include "bridle/problem/objectives/quadratic.hpp"

#include "tests/second/problems.hpp"

namespace bridle {
namespace {

using second::End;
using second::Outcome;
using test::Data;
using test::small_model;
using test::vec;

// Improves and checks what must hold on any problem: every iterate is feasible, and f never rises.
Outcome improve(const Problem& problem, Vector start, second::Options options = {}) {
  double before = infinity;
  const Judge judge(problem);
  options.visit = [&](const second::Visit& visit) {
    EXPECT_LE(visit.value, before + 1e-13 * (1 + std::abs(visit.value)));
    before = visit.value;
    const Certificate there = judge(visit.x, visit.multipliers);
    EXPECT_LE(there.feasibility.relative, 1e-12) << there.feasibility.where;
    EXPECT_LE(there.set_distance.relative, 1e-12) << there.set_distance.where;
  };
  return second::improve(problem, {std::move(start), {}}, options);
}

double judged(const Problem& problem, const Outcome& outcome) {
  return certify(problem, outcome.x, outcome.multipliers).error();
}

second::Options by(second::Path path) {
  second::Options out;
  out.path = path;
  return out;
}

TEST(SecondOrder, EveryLossAndEveryStorage) {
  for (const auto& entry : all_losses())
    for (const Data data : {Data::dense, Data::dense_float, Data::sparse}) {
      const Problem problem = test::with_rows(small_model(entry.loss, data), 4);
      const Outcome outcome = improve(problem, Vector::Zero(12));
      EXPECT_LE(judged(problem, outcome), 1e-8) << entry.name << ": " << second::meaning(outcome.end);
      EXPECT_TRUE(outcome.dense);
      EXPECT_GE(outcome.least_curvature.value(), -1e-6) << entry.name;
    }
}

TEST(SecondOrder, DenseAndOperatorPathAgree) {
  for (const Loss& loss : {Loss(LogisticLoss{}), Loss(SquaredLoss{}), Loss(HuberLoss{})}) {
    const Problem problem = test::with_rows(small_model(loss, Data::sparse, 400, 20), 6);
    const Outcome dense = improve(problem, Vector::Zero(20), by(second::Path::dense));
    const Outcome products = improve(problem, Vector::Zero(20), by(second::Path::products));
    EXPECT_LE(judged(problem, dense), 1e-8) << loss_name(loss);
    EXPECT_LE(judged(problem, products), 1e-7) << loss_name(loss) << second::meaning(products.end);
    EXPECT_TRUE(dense.dense && !products.dense);
    EXPECT_GT(products.spent.hessian_products, 0);
    EXPECT_NEAR(dense.value, products.value, 1e-10 * (1 + dense.value));
    EXPECT_LE((dense.x - products.x).norm(), 1e-5);
  }
}

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

// A set of the user's own, of which nothing but its projection is known.
struct Opaque {
  Index dimension() const { return 12; }
  void project(VectorRef x) const { x = x.cwiseMax(0); }
  void project_tangent(ConstVectorRef x, VectorRef direction) const {
    for (Index j = 0; j < x.size(); ++j)
      if (x[j] <= 0) direction[j] = std::max(direction[j], 0.0);
  }
  void make_admissible(VectorRef) const {}
  Opaque scaled(ConstVectorRef) const { return {}; }
};

TEST(SecondOrder, SaysWhyItDoesNotApply) {
  Problem opaque(small_model(LogisticLoss{}));
  opaque.within(Opaque{});
  EXPECT_FALSE(second::applies(opaque));
  test::expect_contains(second::applies(opaque).reason, "X is not described");
  struct Bare {
    Index dimension() const { return 2; }
    Index sample_count() const { return 1; }
    void gradient(ConstVectorRef x, Sample, VectorRef out) const { out = x; }
  };
  const Problem bare{Bare{}};
  test::expect_contains(second::applies(bare).reason, "second derivatives");
  test::expect_contains(test::refusal([&] {
                          second::improve(bare, {Vector::Zero(2), {}});
                        }),
                        "second derivatives");
  const Problem fine(small_model(LogisticLoss{}));
  EXPECT_TRUE(second::applies(fine));
  test::refusal([&] { second::improve(fine, {Vector::Zero(3), {}}); });
}

// Hundreds of variables: products come first, and where they get nowhere Hessians end it. Columns that are
// nearly alike make the model as ill-conditioned as that takes.
TEST(SecondOrder, ProductsThatGetNowhereGiveWayToHessians) {
  constexpr Index n = 420, samples = 900;
  const Matrix few = test::random_matrix(samples, 6, 1);
  const DenseRows<double> features =
      few * test::random_matrix(6, n, 2) + 1e-4 * test::random_matrix(samples, n, 3);
  Vector labels = few * test::random_vector(6, 4) + 0.3 * test::random_vector(samples, 5);
  for (double& label : labels) label = label < 0 ? -1 : 1;
  Problem problem(LinearModel(features, labels, SmoothedZeroOneLoss{}, Vector::Constant(n, 1e-9)));
  problem.within(Box(Vector::Constant(n, -1), Vector::Constant(n, 1)));
  ASSERT_FALSE(second::choose_path(problem).dense);
  second::Options options;
  options.judge = [&](const Vector& x, const Vector& y) { return certify(problem, x, y).error(); };
  options.tolerance = 1e-6;
  const Outcome outcome = second::improve(problem, {Vector::Zero(n), {}}, options);
  EXPECT_TRUE(outcome.dense);
  EXPECT_LE(judged(problem, outcome), 1e-6) << second::meaning(outcome.end);
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

TEST(SecondOrder, UnitsOfVariablesDoNotMatter) {
  const LinearModel model = small_model(LogisticDifferenceLoss{});
  const Index n = model.dimension();
  Vector unit(n);
  for (Index j = 0; j < n; ++j) unit[j] = std::pow(10.0, -6 + 12.0 * static_cast<double>(j) / (n - 1.0));
  const auto features = std::get<DenseView<double>>(model.features().storage()).matrix();
  const LinearModel other(DenseRows<double>(features * unit.asDiagonal()), model.labels(), model.loss(),
                          model.ridge().cwiseProduct(unit.cwiseAbs2()));
  const Problem plain = test::with_rows(model, 4);
  Problem scaled{other};
  scaled.within(plain.set().scaled(unit))
      .subject_to(SparseRows(plain.rows().matrix * unit.asDiagonal()), plain.rows().lower,
                  plain.rows().upper);
  const Outcome a = improve(plain, Vector::Zero(n)), b = improve(scaled, Vector::Zero(n));
  EXPECT_LE(judged(plain, a), 1e-8);
  EXPECT_LE(judged(scaled, b), 1e-8);
  EXPECT_NEAR(a.value, b.value, 1e-12);
  EXPECT_EQ(a.spent.iterations, b.spent.iterations);
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

// Two processes with the same rows each, played by one: every sum is doubled, and so is the number of
// samples.
class Mirror : public Processes {
 public:
  Index count() const override { return 2; }
  Index number() const override { return 0; }
  void sum(VectorRef figures) const override {
    figures *= 2;
    ++sums;
  }
  void largest(VectorRef) const override {}
  mutable int sums = 0;
};

TEST(SecondOrder, SpreadDataGoesThroughTheSums) {
  const LinearModel whole = small_model(LogisticLoss{});
  const auto share = std::make_shared<Mirror>();
  const LinearModel spread = whole.spread(0, 2 * whole.sample_count(), share);
  const Problem alone{whole}, together{spread};
  const Outcome a = second::improve(alone, {Vector::Zero(12), {}}),
                b = second::improve(together, {Vector::Zero(12), {}});
  EXPECT_LE((a.x - b.x).norm(), 1e-12);
  EXPECT_GT(share->sums, 4 * b.spent.iterations);  // outputs' size, value, gradient, Hessian of every step
}

// f = x^2/2 - y^2/2 + y^4/4: a saddle at 0, minima at y = -1 and 1.
struct Saddle {
  Index dimension() const { return 2; }
  Index sample_count() const { return 1; }
  void gradient(ConstVectorRef x, Sample, VectorRef out) const { out << x[0], x[1] * x[1] * x[1] - x[1]; }
  double mean_value(ConstVectorRef x) const {
    return 0.5 * x[0] * x[0] - 0.5 * x[1] * x[1] + 0.25 * std::pow(x[1], 4);
  }
  void mean_gradient(ConstVectorRef x, VectorRef out) const { gradient(x, 0, out); }
  void hessian_product(ConstVectorRef x, ConstVectorRef d, VectorRef out) const {
    out << d[0], (3 * x[1] * x[1] - 1) * d[1];
  }
};

TEST(SecondOrder, LeavesASaddleUnlessToldNotTo) {
  Problem problem{Saddle{}};
  problem.within(Box(vec(-3, -3), vec(3, 3)));
  for (const auto path : {second::Path::dense, second::Path::products}) {
    const Outcome left = improve(problem, vec(1, 0), by(path));
    EXPECT_NEAR(left.value, -0.25, 1e-12);
    EXPECT_GE(left.saddles_left, 1);
    EXPECT_GT(left.least_curvature.value(), 0);
    auto staying = by(path);
    staying.look_for_saddles = false;
    EXPECT_NEAR(improve(problem, vec(0, 0), staying).value, 0, 1e-12);
  }
  // Held on the saddle by a row, there is nowhere to go, and nothing to leave.
  problem.subject_to(Matrix(vec(0, 1).transpose()), vec(0), vec(0));
  const Outcome held = improve(problem, vec(1, 0));
  EXPECT_NEAR(held.value, 0, 1e-12);
  EXPECT_EQ(held.saddles_left, 0);
  EXPECT_GT(held.least_curvature.value(), 0);
}

TEST(SecondOrder, QuadraticProgramsTakeOneStep) {
  const Matrix q = test::with_spectrum(vec(0.1, 1, 2, 3, 10), 4);
  Problem problem(Quadratic(test::sparse(q), vec(1, -2, 3, -4, 5)));
  problem.within(Box(Vector::Constant(5, -1), Vector::Constant(5, 1)))
      .subject_to(Matrix::Ones(1, 5), vec(0.5), vec(0.5));
  const Outcome outcome = improve(problem, Vector::Zero(5));
  EXPECT_LE(judged(problem, outcome), 1e-10);
  EXPECT_LE(outcome.spent.iterations, 3);
}

TEST(SecondOrder, SameBitsOnAnyNumberOfThreads) {
  const Problem problem = test::with_rows(small_model(LogisticDifferenceLoss{}, Data::sparse, 30'000, 12), 4);
  for (const auto path : {second::Path::dense, second::Path::products}) {
    const Outcome alone = second::improve(problem, {Vector::Zero(12), {}}, by(path));
    use_threads(3);
    const Outcome together = second::improve(problem, {Vector::Zero(12), {}}, by(path));
    use_threads(1);
    EXPECT_EQ(alone.x, together.x);
    EXPECT_EQ(alone.multipliers, together.multipliers);
  }
}

TEST(SecondOrder, StopsWithinAnInnerIteration) {
  const Problem problem = test::with_rows(small_model(LogisticLoss{}), 5);
  for (const auto path : {second::Path::dense, second::Path::products}) {
    int asked = 0;
    auto options = by(path);
    options.stop = [&] { return ++asked, false; };
    improve(problem, Vector::Zero(12), options);
    const int all = asked;
    ASSERT_GT(all, 5);
    for (int limit = 1; limit < all; limit += 3) {
      asked = 0;
      options.stop = [&] { return ++asked >= limit; };
      const Outcome outcome = improve(problem, Vector::Zero(12), options);
      EXPECT_EQ(asked, limit) << "it went on after it was told to stop";
      if (asked < limit) continue;
      EXPECT_TRUE(outcome.x.allFinite());
    }
  }
}

TEST(SecondOrder, TheJudgeDecides) {
  const Problem problem = test::with_rows(small_model(LogisticLoss{}), 5);
  int asked = 0;
  second::Options options;
  options.tolerance = 1e-6;
  options.judge = [&](const Vector& x, const Vector& y) { return ++asked, certify(problem, x, y).error(); };
  const Outcome content = improve(problem, Vector::Zero(12), options);
  EXPECT_EQ(content.end, End::converged);
  EXPECT_LE(content.error, 1e-6);
  EXPECT_LE(asked, 3);
  options.judge = [](const Vector&, const Vector&) { return 1.0; };
  EXPECT_EQ(improve(problem, Vector::Zero(12), options).end, End::at_rest);
}

// Overflows beyond x = 1.
struct Cliff {
  Index dimension() const { return 1; }
  Index sample_count() const { return 1; }
  void gradient(ConstVectorRef x, Sample, VectorRef out) const { out[0] = x[0] > 1 ? std::nan("") : -1; }
  double mean_value(ConstVectorRef x) const { return x[0] > 1 ? std::nan("") : -x[0]; }
  void mean_gradient(ConstVectorRef x, VectorRef out) const { gradient(x, 0, out); }
  void hessian_product(ConstVectorRef, ConstVectorRef d, VectorRef out) const { out = 0.01 * d; }
};

TEST(SecondOrder, WhatIsNotFiniteIsNeverReturned) {
  const Problem problem{Cliff{}};
  for (const auto path : {second::Path::dense, second::Path::products}) {
    const Outcome outcome = improve(problem, vec(0), by(path));
    EXPECT_TRUE(std::isfinite(outcome.value));
    EXPECT_LE(outcome.x[0], 1);
    EXPECT_GT(outcome.x[0], 0.5);
  }
  EXPECT_EQ(second::improve(problem, {vec(2), {}}).end, End::not_finite);
}

TEST(SecondOrder, CostGrowsWithTheProblem) {
  const Problem small(small_model(LogisticLoss{}, Data::sparse, 200, 10));
  const Problem larger(small_model(LogisticLoss{}, Data::sparse, 2000, 10));
  const auto a = second::estimate_cost(small, 2), b = second::estimate_cost(larger, 2);
  EXPECT_TRUE(a.dense);
  EXPECT_GT(b.seconds, 5 * a.seconds);
  EXPECT_NEAR(second::estimate_cost(larger, 4).seconds / b.seconds, 2, 0.5);
  EXPECT_GT(a.sample_gradients, 200);  // more than one epoch
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

// Huber's loss has no curvature where all residuals are large: the phase must not take that for a solution.
TEST(SecondOrder, LeavesPlacesWithoutCurvature) {
  const Problem problem{small_model(HuberLoss{1e-3})};
  const Outcome outcome =
      second::improve(problem, {Vector::Zero(problem.dimension()), {}}, by(second::Path::dense));
  EXPECT_LE(judged(problem, outcome), 1e-7) << second::meaning(outcome.end);
}

}  // namespace
}  // namespace bridle
