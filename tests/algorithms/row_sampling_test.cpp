// Row sampling in Algorithm 2: slacks that move lazily and an A'y that is carried along must give what a
// plain loop over dense vectors gives that looks at every slack in every step.
#include "bridle/problem/rows/row_sampling.hpp"

#include <gtest/gtest.h>

#include "bridle/algorithms/registry.hpp"
#include "bridle/algorithms/safeguarded.hpp"
#include "bridle/problem/objectives/quadratic.hpp"
#include "bridle/problem/rows/edge_sampling.hpp"
#include "bridle/problem/sets/sets.hpp"

#include "tests/properties.hpp"

namespace bridle {
namespace {

constexpr Index n = 6, m = 40;
constexpr std::uint64_t seed = 9, steps = 300;
const Parameters short_steps{.tau = 0.01, .eta = 0.05, .beta = 0.02, .mu = 1.5, .rho = 0.7, .alpha = 1};
// tau mu + beta > 1: s - z changes its sign from step to step, which the closed formula cannot follow.
const Parameters long_steps{.tau = 0.01, .eta = 0.05, .beta = 0.9, .mu = 30, .rho = 0.7, .alpha = 1};

Problem make_problem() {
  Problem problem(Quadratic(test::sparse(test::with_spectrum(test::vec(3, 2, 1, 1, -1, -2), 1)),
                            test::random_vector(n, 2), 0, {.additive = 0.5}));
  problem.within(Box(Vector::Constant(n, -1), Vector::Constant(n, 1)));
  const Matrix rows = test::random_sparse(m, n, 0.5, 3);
  Vector lower = test::random_vector(m, 4) - Vector::Constant(m, 1), upper = lower + Vector::Constant(m, 2);
  for (Index i = 0; i < m; i += 4) lower[i] = upper[i] = 0.1;
  problem.subject_to(rows, lower, upper);
  return problem;
}

void expect_the_plain_loop(const Parameters& p) {
  const Problem problem = make_problem();
  Scaling scaling;
  scaling.metric = MetricKind::diagonal;
  const StandardForm form(problem, scaling);
  const AnyStochasticRows rows = standard_rows(form, rows_per_draw(form.rows()));
  Iterate start;
  start.x = form.to_standard(Vector::Zero(n), problem.rows().lower);
  form.project(start.x);
  start.z = start.x;
  start.y = test::random_vector(form.rows(), 5);

  Safeguarded<SampledIterate> method(SampledIterate(form, rows, start, false), endless, {.seed = seed});
  const Stage stage{p, {}, steps};
  // In uneven pieces, with looks at the state in between: looking must not change the run.
  for (std::uint64_t t = 0; t < steps; t += 37) method.run(stage, t, std::min<std::uint64_t>(37, steps - t));

  Vector x = start.x, z = start.z, y = start.y, g(form.dimension()), point(n);
  Sampler sampler(endless, Sampling::reshuffled, seed);
  const RowDraws draws(seed);
  const double metric = form.metric().diagonal_scale();
  std::vector<Index> slack(static_cast<std::size_t>(form.rows()), -1);
  for (std::size_t k = 0; k < form.slack_rows().size(); ++k)
    slack[static_cast<std::size_t>(form.slack_rows()[k])] = n + static_cast<Index>(k);
  RowSample sample;
  const auto residual = [&](const RowSample::Row& row) {
    double sum = -row.right;
    for (std::size_t e = row.begin; e < row.end; ++e) sum += sample.values[e] * x[sample.columns[e]];
    const Index s = slack[static_cast<std::size_t>(row.row)];
    return s < 0 ? sum : sum - form.slack_coefficient()[s - n] * x[s];
  };
  for (std::uint64_t t = 0; t < steps; ++t) {
    rows.draw(draws.zeta(t), sample);
    for (const auto& row : sample.rows) y[row.row] += p.eta * metric * row.weight * residual(row);
    form.gradient(x, sampler(t), g, point);
    g.head(n) += form.matrix().transpose() * y;
    rows.draw(draws.zeta1(t), sample);
    for (const auto& row : sample.rows) {
      const double penalty = row.weight * p.rho * metric * residual(row);
      for (std::size_t e = row.begin; e < row.end; ++e) g[sample.columns[e]] += penalty * sample.values[e];
      if (const Index s = slack[static_cast<std::size_t>(row.row)]; s >= 0)
        g[s] -= form.slack_coefficient()[s - n] * (row.weight * y[row.row] + penalty);
    }
    const Vector old = x;
    x = old - p.tau * (g + p.mu * (old - z));
    form.project(x);
    z += p.beta * (old - z);
  }
  const Iterate& found = method.snapshot();
  test::expect_near(found.x, x, 1e-10);
  test::expect_near(found.z, z, 1e-10);
  test::expect_near(found.y, y, 1e-10);
}

TEST(RowSampling, LazySlacksAndCarriedPullEqualThePlainLoop) {
  expect_the_plain_loop(short_steps);
  expect_the_plain_loop(long_steps);
}

// The mean over draws of the weighted rows is A: within 5 standard errors in each of 240 entries, a false
// alarm once in 7,000 such tests.
TEST(RowSampling, UnbiasedForBothWeights) {
  const SparseRows matrix = test::random_sparse(m, n, 0.5, 3).sparseView();
  for (const auto weights : {RowWeights::uniform, RowWeights::squared_norm}) {
    const RowSampling rows(matrix, test::random_vector(m, 6), 3, weights);
    constexpr Index draws = 20'000;
    Matrix first = Matrix::Zero(m, n), second = Matrix::Zero(m, n), one(m, n);
    RowSample sample;
    for (Index k = 0; k < draws; ++k) {
      sample.clear();
      rows.draw(static_cast<Sample>(k) * 977, sample);
      one.setZero();
      for (const auto& row : sample.rows)
        for (std::size_t e = row.begin; e < row.end; ++e)
          one(row.row, sample.columns[e]) += row.weight * sample.values[e];
      first += one / draws;
      second += one.cwiseAbs2() / draws;
    }
    const Matrix error = ((second - first.cwiseAbs2()) / draws).cwiseSqrt();
    EXPECT_LE(((first - Matrix(matrix)).cwiseAbs() - 5 * error).maxCoeff(), 1e-12);
  }
}

TEST(EdgeSampling, MeanIsProbabilityTimesDifference) {
  const EdgeSampling edges(3, 2, {{0, 1, 0.25}, {1, 2, 1}});
  const MeanRows mean = edges.mean();
  ASSERT_EQ(mean.matrix.rows(), 4);
  EXPECT_EQ(mean.matrix.coeff(0, 0), 0.25);
  EXPECT_EQ(mean.matrix.coeff(0, 2), -0.25);
  EXPECT_EQ(mean.matrix.coeff(3, 3), 1);
  EXPECT_EQ(mean.matrix.coeff(3, 5), -1);
  RowSample sample;
  double up = 0;
  for (Sample zeta = 0; zeta < 4000; ++zeta) {
    sample.clear();
    edges.draw(zeta, sample);
    up += sample.rows.size() == 4;  // both edges
    for (const auto& row : sample.rows) {
      EXPECT_DOUBLE_EQ(row.weight * sample.values[row.begin], 1)
          << "an edge that is up shows the plain difference";
    }
  }
  // Binomial with p = 1/4: 5 standard deviations, one false alarm in a million.
  EXPECT_NEAR(up / 4000, 0.25, 5 * std::sqrt(0.25 * 0.75 / 4000));
}

// A draw has a part of the residual only, and a metric that is not diagonal needs all of it.
TEST(RowSampling, RefusesAMetricThatMixesRows) {
  const Problem problem = make_problem();
  const StandardForm form(problem, {});
  ASSERT_EQ(form.metric().kind(), MetricKind::cholesky);
  Iterate start;
  start.x = start.z = Vector::Zero(form.dimension());
  start.y = Vector::Zero(form.rows());
  for (const char* name : {"safeguarded", "safeguarded-storm"})
    EXPECT_THROW(find_algorithm(name)->create(form, {short_steps, {}, steps}, start, {}), InputError) << name;
}

}  // namespace
}  // namespace bridle
