// The second-order phase ends where the judge is content, by any path, over any region.
#include "bridle/second/improve.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "bridle/certify/certify.hpp"
#include "bridle/core/threads.hpp"
#include "bridle/problem/objectives/quadratic.hpp"

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
  void send(Index, std::span<const double>) const override { ADD_FAILURE() << "to nobody"; }
  void receive(Index, std::span<double>) const override { ADD_FAILURE() << "from nobody"; }
  void broadcast(Index, std::span<double>) const override { ADD_FAILURE() << "to nobody"; }
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

// x y on a box: off the saddle at 0 the way ends in a corner, where nothing can bend. What was measured at
// the saddle is not said of it.
TEST(SecondOrder, TheCurvatureIsThatOfThePointReturned) {
  Matrix hessian(2, 2);
  hessian << 0, 1, 1, 0;
  Problem problem(Quadratic(test::sparse(hessian), vec(0, 0)));
  problem.within(Box(vec(-1, -1), vec(1, 1)));
  for (const auto path : {second::Path::dense, second::Path::products}) {
    const Outcome corner = improve(problem, vec(0, 0), by(path));
    EXPECT_NEAR(corner.value, -1, 1e-12);
    EXPECT_GE(corner.saddles_left, 1);
    EXPECT_FALSE(corner.least_curvature);
  }
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

// Huber's loss has no curvature where all residuals are large: the phase must not take that for a solution.
TEST(SecondOrder, LeavesPlacesWithoutCurvature) {
  const Problem problem{small_model(HuberLoss{1e-3})};
  const Outcome outcome =
      second::improve(problem, {Vector::Zero(problem.dimension()), {}}, by(second::Path::dense));
  EXPECT_LE(judged(problem, outcome), 1e-7) << second::meaning(outcome.end);
}

}  // namespace
}  // namespace bridle
