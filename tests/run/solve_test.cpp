// Runs from a stated problem to a judged solution. Every one of them ends with a fresh certificate.
#include "bridle/run/solve.hpp"

#include <gtest/gtest.h>

#include "bridle/certify/certify.hpp"
#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/problem/sets/sets.hpp"

#include "tests/planted.hpp"

namespace bridle {
namespace {

using test::random_vector;
using test::vec;

constexpr Index n = 12;

// The judge's word on what the run returned; it must be what the run said.
Certificate judged(const Problem& problem, const Result& result) {
  const Certificate fresh = certify(problem, result.x, result.y, {.seed = result.seed});
  EXPECT_NEAR(fresh.error(), result.certificate.error(), 1e-9);
  return fresh;
}

void expect_stationary(const Problem& problem, const Result& result) {
  EXPECT_EQ(result.status, Status::stationary) << result.full_report();
  EXPECT_LE(judged(problem, result).error(), result.tolerance) << result.full_report();
}

struct Case {
  std::string name;
  AnySet set;
  test::PlantedRows rows;
};

std::vector<Case> cases(bool bounded_only) {
  const std::pair<std::string, std::pair<AnySet, bool>> sets[] = {
      {"free", {WholeSpace(n), false}},
      {"box", {Box(Vector::Constant(n, -1), Vector::Constant(n, 1.5)), true}},
      {"simplex", {Simplex(n, 3), true}},
      {"half_space", {HalfSpace(random_vector(n, 1), -2), false}},
      {"product",
       {Product(n, {{index_range(0, 5), Simplex(5, 2)},
                    {{7, 6, 5}, L1Ball(3, 1)},
                    {index_range(8, 4), Box(Vector::Constant(4, -1), Vector::Ones(4))}}),
        true}}};
  const std::pair<std::string, test::PlantedRows> rows[] = {{"no_rows", {}},
                                                            {"equalities", {3, 0, 0}},
                                                            {"inequalities", {0, 3, 3}},
                                                            {"redundant", {2, 2, 2, true}}};
  std::vector<Case> out;
  for (const auto& [set_name, set] : sets)
    for (const auto& [row_name, wish] : rows)
      if (set.second || !bounded_only) out.push_back({set_name + "_" + row_name, set.first, wish});
  return out;
}

class SolveTest : public testing::TestWithParam<Case> {
 protected:
  // An l1 ball has no description by few rows, so that the last touch cannot act: the noise of the loop
  // stays.
  const double noisy_tolerance_ = GetParam().set.description() ? 1e-4 : 2e-3;
};
INSTANTIATE_TEST_SUITE_P(Planted, SolveTest, testing::ValuesIn(cases(false)),
                         [](const auto& test) { return test.param.name; });
class SolveBoundedTest : public SolveTest {};
INSTANTIATE_TEST_SUITE_P(Planted, SolveBoundedTest, testing::ValuesIn(cases(true)),
                         [](const auto& test) { return test.param.name; });

// One minimiser, known. The judge's error e bounds the distance: strongly convex with modulus 1/2 and
// conditions of rows that are moderate, so that 1000 e is ample.
TEST_P(SolveTest, Convex) {
  const auto planted = test::plant(GetParam().set, Vector::LinSpaced(n, 0.5, 5), GetParam().rows, 11);
  const Result result = solve(planted.problem, {.samples = 20'000});
  expect_stationary(planted.problem, result);
  EXPECT_LE(result.certificate.error(), 1e-6) << "without noise the run aims higher than it must";
  EXPECT_LE((result.x - planted.x).norm(), 1e-3);
}

TEST_P(SolveTest, ConvexWithNoise) {
  const auto planted =
      test::plant(GetParam().set, Vector::LinSpaced(n, 0.5, 5), GetParam().rows, 12, {.additive = 1});
  const Result result = solve(planted.problem, {.samples = 100'000, .tolerance = noisy_tolerance_});
  expect_stationary(planted.problem, result);
  EXPECT_LE((result.x - planted.x).norm(), 0.1);
}

// Without the last touch the loop itself must have come near: the error of a noisy run falls like 1/sqrt of
// the budget.
TEST_P(SolveTest, ConvexWithNoiseTheLoopAlone) {
  const auto planted =
      test::plant(GetParam().set, Vector::LinSpaced(n, 0.5, 5), GetParam().rows, 13, {.additive = 1});
  const Result result =
      solve(planted.problem, {.samples = 100'000, .tolerance = 0, .output = Output::last, .finish = false});
  EXPECT_EQ(result.status, Status::budget_exhausted);
  EXPECT_LE((result.x - planted.x).norm(), 0.15) << result.full_report();
  EXPECT_LE(judged(planted.problem, result).feasibility.relative, 0.05);
}

TEST_P(SolveBoundedTest, Nonconvex) {
  for (const double noise : {0.0, 1.0}) {
    const auto planted =
        test::plant(GetParam().set, Vector::LinSpaced(n, -4, 3), GetParam().rows, 14, {.additive = noise});
    expect_stationary(planted.problem,
                      noise > 0 ? solve(planted.problem, {.samples = 100'000, .tolerance = noisy_tolerance_})
                                : solve(planted.problem, {.samples = 40'000}));
  }
}

// Two classes that an attribute helps to tell apart; the covariance of score and attribute is bounded (Zafar
// et al.).
Problem fair_problem(const Loss& loss, double bound) {
  const Index samples = 400, features = 6;
  Matrix data = test::random_matrix(samples, features, 20);
  const Vector attribute = (random_vector(samples, 21).array() > 0).select(Vector::Ones(samples), 0.0);
  data.col(0).setOnes();
  data.col(1) += 1.5 * attribute;
  Vector score = data * random_vector(features, 22) + random_vector(samples, 23);
  const Vector labels = (score.array() > 0).select(Vector::Ones(samples), -1.0);
  Vector ridge = Vector::Constant(features, 1e-3);
  ridge[0] = 0;
  Problem problem(LinearModel(DenseRows<double>(data), labels, loss, ridge));
  const Vector centred = attribute.array() - attribute.mean();
  problem.subject_to(Matrix(centred.transpose() * data / static_cast<double>(samples)), vec(-bound),
                     vec(bound), {"covariance"});
  return problem;
}

TEST(Solve, LinearModelWithACovarianceRow) {
  for (const Loss& loss :
       {Loss(LogisticLoss{}), Loss(LogisticDifferenceLoss{}), Loss(SmoothedZeroOneLoss{})}) {
    const Problem free = fair_problem(loss, 1e3), bound = fair_problem(loss, 0.01);
    const Result unfair = solve(free, {.epochs = 200, .tolerance = 1e-3}),
                 fair = solve(bound, {.epochs = 200, .tolerance = 1e-3});
    expect_stationary(free, unfair);
    expect_stationary(bound, fair);
    EXPECT_NEAR(unfair.y[0], 0, 1e-6) << loss_name(loss);
    EXPECT_GT(std::abs(fair.y[0]), 1e-3)
        << loss_name(loss) << ": the row must bind for the test to mean anything";
    EXPECT_GE(fair.objective(), unfair.objective() - 1e-3) << loss_name(loss);
  }
}

// Columns far from 0: the same model as with columns around 0, and as quickly.
TEST(Solve, ColumnsFarFromZero) {
  constexpr Index samples = 500;
  DenseRows<double> features(samples, 3);
  Vector labels(samples), noise(samples), a(samples), b(samples);
  const Stream random(5, Purpose::generator);
  random.fill_normal(a, 1);
  random.fill_normal(b, 2);
  random.fill_normal(noise, 3);
  features << a.array() + 40, b.array() - 300, Vector::Ones(samples);
  labels = (a - 2 * b + noise).cwiseSign();
  Problem problem{LinearModel(features, labels, LogisticLoss{}, vec(1e-3, 1e-3, 0))};
  Matrix row(1, 3);
  row << 1, 1, 0.01;  // the intercept counts too
  problem.subject_to(row, Vector::Constant(1, -1.0), Vector::Constant(1, -0.5));
  const Result result = solve(problem, {.epochs = 200, .tolerance = 1e-4});
  expect_stationary(problem, result);
}

// The smoothed 0-1 loss from 0 on unbalanced data runs to "all negative", which is stationary too.
TEST(Solve, FlatLossesBeginAtALogisticModel) {
  constexpr Index samples = 1000;
  DenseRows<double> features(samples, 2);
  Vector labels(samples), a(samples);
  Stream(6, Purpose::generator).fill_normal(a, 1);
  features << 20 * a, Vector::Ones(samples);
  for (Index i = 0; i < samples; ++i) labels[i] = a[i] > 0.8 ? 1 : -1;
  const LinearModel model(features, labels, SmoothedZeroOneLoss{}, vec(1e-4, 0));
  const Result result = solve(Problem{model}, {.epochs = 30});
  const Vector scores = features * result.x;
  EXPECT_GE((scores.array() * labels.array() > 0).count(), 0.95 * samples) << result.full_report();
  ASSERT_FALSE(result.events.empty());
  test::expect_contains(result.events.front(), "logistic model");
}

// grad f(x, xi) = x - target + e, an endless stream whose mean nobody knows.
struct Unknown {
  Index dimension() const { return 3; }
  Index sample_count() const { return endless; }
  void gradient(ConstVectorRef x, Sample sample, VectorRef out) const {
    Vector e(3);
    Stream(sample, Purpose::noise).fill_normal(e, 0);
    out = x - vec(1, 2, 3) + 0.1 * e;
  }
};

TEST(Solve, EndlessStreamWithoutMean) {
  Problem problem{Unknown{}};
  problem.subject_to(Matrix(Matrix::Ones(1, 3)), vec(-infinity),
                     vec(3));  // from (1, 2, 3) to (0, 1, 2), y = 1
  const Result result = solve(problem, {.samples = 200'000, .tolerance = 5e-3});
  expect_stationary(problem, result);
  EXPECT_FALSE(result.certificate.exact);
  EXPECT_GT(result.certificate.stationarity_halfwidth.relative, 0);
  test::expect_near(result.x, vec(0, 1, 2), 0.02);
  test::expect_near(result.y, vec(1), 0.02);
  // The finish pays for its batches, and points are compared on batches of that size.
  const Result short_run = solve(problem, {.samples = 10'000, .tolerance = 0});
  EXPECT_LE(short_run.samples, 1.01 * 10'000);
  EXPECT_LE(short_run.certificate_samples, 2 * (100'000 + 30 * 1000))
      << "each judge looks at the origin once";
}

TEST(Solve, BatchesAndSampling) {
  const auto planted = test::plant(Box(Vector::Constant(n, -1), Vector::Ones(n)),
                                   Vector::LinSpaced(n, 0.5, 5), {1, 2, 1}, 15, {.additive = 1});
  const Parameters p{.tau = 0.01, .eta = 1, .beta = 0.05, .mu = 2, .rho = 10};
  const auto run = [&](Index batch) {
    return solve(planted.problem, {.samples = 20'000,
                                   .tolerance = 0,
                                   .source = ParameterSource::given,
                                   .given = GivenParameters{p, {}, MetricKind::cholesky},
                                   .batch = batch,
                                   .output = Output::last});
  };
  const Result one = run(1), many = run(25);
  EXPECT_EQ(one.iterations, 20'000U);
  EXPECT_EQ(many.iterations, 800U);
  EXPECT_EQ(many.samples, 20'000);
  // The noise that constant steps leave falls with the batch: 25 times less variance, measured as at least 4
  // times.
  EXPECT_LT(4 * (many.x - planted.x).squaredNorm(), (one.x - planted.x).squaredNorm());
  EXPECT_LT(judged(planted.problem, many).error(), judged(planted.problem, one).error());

  const Problem fair = fair_problem(LogisticLoss{}, 0.01);
  for (const Sampling sampling : {Sampling::independent, Sampling::reshuffled})
    expect_stationary(fair,
                      solve(fair, {.epochs = 100, .tolerance = 1e-3, .batch = 4, .sampling = sampling}));
}

TEST(Solve, EveryAlgorithmOnOneProblem) {
  const auto planted = test::plant(Box(Vector::Constant(n, -1), Vector::Ones(n)),
                                   Vector::LinSpaced(n, 0.5, 5), {2, 2, 2}, 16, {.additive = 0.5});
  for (const char* name : {"smoothed", "safeguarded", "storm", "safeguarded-storm"}) {
    const Result result = solve(planted.problem, {.samples = 100'000, .algorithm = name});
    EXPECT_EQ(result.algorithm, name);
    expect_stationary(planted.problem, result);
    EXPECT_LE((result.x - planted.x).norm(), 0.1) << name;
  }
}

// minimise |x|^2/2 with x_1 + x_2 = 2: x = (1, 1), y = -1. A run that begins there has nothing left to do.
TEST(Solve, ContinuesFromGivenMultipliers) {
  Problem problem(Quadratic(test::sparse(Matrix::Identity(2, 2)), Vector::Zero(2)));
  problem.subject_to(Matrix::Ones(1, 2), vec(2), vec(2));
  problem.start_from(vec(1, 1));
  SolveOptions options;
  options.samples = 3;
  options.source = ParameterSource::given;
  options.given = GivenParameters{{.tau = 0.1, .eta = 0.1, .beta = 0.1, .mu = 1, .rho = 1}, {}, {}};
  options.output = Output::last;
  options.finish = options.refit_multipliers = false;
  EXPECT_GT(solve(problem, options).certificate.stationarity.absolute, 0.1);
  options.start_multipliers = vec(-1);
  const Result result = solve(problem, options);
  EXPECT_LT(result.certificate.stationarity.absolute, 1e-12);
  EXPECT_NEAR(result.y[0], -1, 1e-12);
  options.start_multipliers = vec(-1, 0);
  EXPECT_THROW(solve(problem, options), InputError);
  options.start_multipliers = vec(std::nan(""));
  EXPECT_THROW(solve(problem, options), InputError);
}

// A set that counts how often it is brought into other units: once per standard form.
struct CountingSet {
  WholeSpace space;
  std::shared_ptr<int> scalings;

  Index dimension() const { return space.dimension(); }
  void project(VectorRef x) const { space.project(x); }
  void project_tangent(ConstVectorRef at, VectorRef direction) const { space.project_tangent(at, direction); }
  void make_admissible(VectorRef scale) const { space.make_admissible(scale); }
  CountingSet scaled(ConstVectorRef scale) const {
    ++*scalings;
    return {space.scaled(scale), scalings};
  }
};

struct CountingStages : Observer {
  int stages = 0;
  void stage(int, const Stage&, const Reasons&) override { ++stages; }
};

TEST(Solve, AStageBuildsOneStandardForm) {
  const CountingSet set{WholeSpace(n), std::make_shared<int>(0)};
  Problem problem(Quadratic(test::sparse(Vector::LinSpaced(n, 1, 50).asDiagonal()), random_vector(n, 2), 0,
                            {.additive = 0.1}));
  problem.within(set).subject_to(test::random_matrix(3, n, 3), Vector::Zero(3), Vector::Ones(3));
  CountingStages observer;
  solve(problem, {.samples = 2e4}, &observer);
  EXPECT_GT(observer.stages, 5);
  EXPECT_EQ(*set.scalings, observer.stages);
}

}  // namespace
}  // namespace bridle
