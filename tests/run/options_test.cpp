// What runs return, what they say, and what they refuse.
#include <algorithm>
#include <memory>
#include <set>

#include <gtest/gtest.h>

#include "bridle/certify/certify.hpp"
#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/problem/sets/sets.hpp"
#include "bridle/run/solve.hpp"

#include "tests/run/planted_run.hpp"

namespace bridle {
namespace {

using test::given;
using test::n;
using test::planted;
using test::steps;
using test::vec;

// M_y by the paper's formula where its constants are known, and it says so.
TEST(Safeguard, PaperFormula) {
  const auto [problem, x, y] = planted(1);
  SolveOptions options = given(steps, 1000);
  options.given->metric = MetricKind::diagonal;
  options.algorithm = "safeguarded";
  options.safeguard =
      SafeguardConstants{.largest_value = 3, .lowest_value = -1, .diameter = 4, .largest_residual = 2};
  const Result result = solve(problem, options);
  const auto reason = std::find_if(result.reasons.begin(), result.reasons.end(),
                                   [](const auto& r) { return r.symbol == "M_y"; });
  ASSERT_NE(reason, result.reasons.end());
  EXPECT_DOUBLE_EQ(reason->value, theory_dual_bound(*options.safeguard, steps.mu, steps.rho));
  EXPECT_LT(certify(problem, result.x, result.y).error(), infinity);
}

TEST(Output, LastAndRandom) {
  const auto [problem, x, y] = planted(1);
  constexpr double total = 1000;
  const auto at = static_cast<double>(1 + Stream(7, Purpose::output_time).below(1000, 0));
  SolveOptions random = given(steps, total, Output::random), until = given(steps, at),
               last = given(steps, total);
  random.seed = until.seed = last.seed = 7;
  const Result drawn = solve(problem, random), there = solve(problem, until), end = solve(problem, last);
  EXPECT_EQ(drawn.iterations, 1000U) << "the run goes to its end";
  ASSERT_TRUE(drawn.theory_output);
  EXPECT_EQ(drawn.theory_output->x, there.x) << "iterate t*, fixed before the run";
  EXPECT_EQ(drawn.x, drawn.theory_output->z) << "of Algorithm 1 the smoothed one is returned";
  EXPECT_NE(drawn.theory_output->x, end.x);
  EXPECT_EQ(end.iterations, 1000U);
  EXPECT_LE(solve(problem, given(steps, total, Output::best)).certificate.error(), end.certificate.error());
  EXPECT_NEAR(certify(problem, drawn.x, drawn.y).error(), drawn.certificate.error(), 1e-12);
}

// The automatic rule spends samples on estimates, so that t* may lie beyond the last iteration: then it is
// that one, and never the best.
TEST(Output, RandomBeyondTheEnd) {
  const auto [problem, x, y] = planted(1);
  SolveOptions options{.samples = 3000, .tolerance = 0, .output = Output::last};
  const Result last = solve(problem, options);
  options.output = Output::random;
  int beyond = 0;
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    if (1 + Stream(seed, Purpose::output_time).below(3000, 0) <= 3000 - 100) continue;
    options.seed = seed;
    SolveOptions to_the_end = options;
    to_the_end.output = Output::last;
    const Result drawn = solve(problem, options), end = solve(problem, to_the_end);
    EXPECT_EQ(drawn.theory_output->x, end.x);
    EXPECT_EQ(drawn.theory_output->time, drawn.iterations);
    EXPECT_EQ(drawn.theory_output->x_error, certify(problem, end.x, end.y).error());
    ++beyond;
  }
  EXPECT_GT(beyond, 0);
  EXPECT_LT(last.iterations, 2900U);
}

TEST(Solve, SameSeedSameBits) {
  const auto [problem, x, y] = planted(1);
  for (const char* algorithm : {"smoothed", "safeguarded", "storm", "safeguarded-storm"}) {
    const SolveOptions options{.samples = 5000, .tolerance = 0, .seed = 5, .algorithm = algorithm};
    SolveOptions other_seed = options;
    other_seed.seed = 6;
    const Result one = solve(problem, options), again = solve(problem, options);
    EXPECT_EQ(one.x, again.x);
    EXPECT_EQ(one.y, again.y);
    EXPECT_EQ(one.iterations, again.iterations);
    EXPECT_EQ(one.samples, again.samples);
    other_seed.finish = false;  // second-order steps would find one solution from anywhere
    SolveOptions loop = options;
    loop.finish = false;
    EXPECT_NE(solve(problem, loop).x, solve(problem, other_seed).x);
    EXPECT_EQ(certify(problem, one.x, one.y).error(), certify(problem, again.x, again.y).error());
  }
}

// Writes down the samples it is asked for.
struct Recording {
  std::shared_ptr<std::set<Sample>> seen = std::make_shared<std::set<Sample>>();
  Index dimension() const { return 2; }
  Index sample_count() const { return endless; }
  void gradient(ConstVectorRef x, Sample sample, VectorRef out) const {
    seen->insert(sample);
    Stream(sample, Purpose::noise).fill_normal(out, 0);
    out += x - Vector::Ones(2);
  }
  void mean_gradient(ConstVectorRef x, VectorRef out) const { out = x - Vector::Ones(2); }
};

// Draws 0, 1, 2, ... through all stages: no stage sees the samples of another again.
TEST(Solve, NoSampleIsUsedTwice) {
  const Recording objective;
  Problem problem(objective);
  problem.start_from(vec(3, 4));
  const Result result = solve(problem, {.samples = 8000, .tolerance = 0, .seed = 9});
  Sampler sampler(endless, Sampling::reshuffled, 9);
  std::uint64_t used = 0;
  for (std::uint64_t t = 0; t < result.iterations; ++t) used += objective.seen->count(sampler(t));
  EXPECT_EQ(used, result.iterations);
  EXPECT_LT(certify(problem, result.x, result.y).error(), 0.5);
}

TEST(Solve, TheoryConstantsHaveOrigins) {
  const auto [problem, x, y] = planted(1);
  SolveOptions options{.samples = 1000, .source = ParameterSource::theory};
  options.known.error_bound = 2;
  const auto origin = [](const Result& result, const std::string& symbol) {
    for (const auto& reason : result.reasons)
      if (reason.symbol == symbol) return reason;
    ADD_FAILURE() << "no reason for " << symbol;
    return Reason{};
  };
  const Result computed = solve(problem, options);
  EXPECT_EQ(origin(computed, "L_f").value, *problem.objective().smoothness());
  EXPECT_EQ(origin(computed, "L_f").why, "computed: the objective's own bound");
  test::expect_contains(origin(computed, "|A|").why, "computed");
  EXPECT_EQ(origin(computed, "sbar").why, "given");
  // mu = 4 L_f, lambda = L_f + rho |A|^2 + mu, tau = 1/(6 lambda^2 sqrt T).
  const double L = *problem.objective().smoothness(), A = origin(computed, "|A|").value;
  EXPECT_DOUBLE_EQ(computed.parameters.mu, 4 * L);
  EXPECT_NEAR(computed.parameters.tau, 1 / (6 * std::pow(5 * L + A * A, 2) * std::sqrt(1000)), 1e-12);
  test::expect_contains(computed.full_report(), "the objective's own bound");
  test::expect_contains(computed.full_report(), "theory");

  // |A|: the largest singular value of the rows with their slack columns.
  Matrix rows = Matrix(problem.rows().matrix), all = Matrix::Zero(4, n + 2);
  all.leftCols(n) = rows;
  all(2, n) = all(3, n + 1) = -1;
  Vector v = Vector::Ones(n + 2);
  for (int k = 0; k < 2000; ++k) v = (all.transpose() * (all * v)).normalized();
  EXPECT_NEAR(A, (all * v).norm(), 1e-6);

  options.curvature = 3;
  EXPECT_EQ(origin(solve(problem, options), "L_f").why, "given");
  options.constants = TheoryConstants{2, 2, 3, 4, 1};
  const Result told = solve(problem, options);
  for (const char* symbol : {"L_f", "|A|", "sbar", "rho"})
    EXPECT_EQ(origin(told, symbol).why, "given") << symbol;
  EXPECT_EQ(told.parameters.mu, 8);
  EXPECT_LT(certify(problem, told.x, told.y).error(), infinity);
}

class Listening : public Observer {
 public:
  void started(const RunInfo& info) override { ++starts, budget = info.budget; }
  void stage(int number, const Stage& stage, const Reasons& reasons) override {
    EXPECT_EQ(number, ++stages);
    EXPECT_GT(stage.iterations, 0U);
    EXPECT_FALSE(reasons.empty());
  }
  void progress(const Progress& p) override {
    EXPECT_GE(p.samples, samples);
    EXPECT_GT(p.iterations, 0U);
    EXPECT_EQ(p.stage, stages);
    EXPECT_TRUE(std::isfinite(p.objective));
    EXPECT_GE(p.feasibility, 0);
    samples = p.samples;
    ++rows;
  }
  int starts = 0, stages = 0, rows = 0;
  double budget = 0, samples = 0;
};

TEST(Observer, HearsEverything) {
  const auto [problem, x, y] = planted(1);
  Listening observer;
  const Result result = solve(problem, {.samples = 20'000, .tolerance = 0}, &observer);
  EXPECT_EQ(observer.starts, 1);
  EXPECT_EQ(observer.budget, 20'000);
  EXPECT_GT(observer.stages, 5);
  EXPECT_GT(observer.rows, 50);
  EXPECT_LE(observer.rows, 201);
  EXPECT_NEAR(result.samples, 20'000, 2500) << "estimates and the last touch included";
  EXPECT_LT(certify(problem, result.x, result.y).error(), 0.1);
}

// Sparse data over many variables: a pass over all samples is cheap, and a judged sample of them costs every
// variable each.
TEST(Observer, FiguresOfWideSparseDataAreExact) {
  constexpr Index samples = 60'000, variables = 20'000, nonzeros = 40;
  SparseRows rows(samples, variables);
  rows.reserve(samples * nonzeros);
  const Vector values = test::random_vector(nonzeros, 1);
  Vector labels(samples);
  for (Index i = 0; i < samples; ++i) {
    rows.startVec(i);
    for (Index k = 0; k < nonzeros; ++k)
      rows.insertBack(i, k * (variables / nonzeros) + (i * 7919 + k) % (variables / nonzeros)) = values[k];
    labels[i] = i % 3 == 0 ? 1.0 : -1.0;
  }
  rows.finalize();
  const Problem problem(
      LinearModel(std::move(rows), labels, LogisticLoss{}, Vector::Constant(variables, 1e-3)));
  struct Figures : Observer {
    Wants wants() override { return Wants::figures; }
    void progress(const Progress& row) override {
      if (row.phase == "loop") last = row;
    }
    Progress last;
  } observer;
  SolveOptions options{.samples = 20'000, .tolerance = 0, .output = Output::last};
  options.finish = options.second_order = false;
  const Result result = solve(problem, options, &observer);
  EXPECT_EQ(observer.last.samples, 20'000);
  const Certificate judged = certify(problem, result.x, result.y);
  EXPECT_NEAR(observer.last.error, judged.error(), 1e-9 * judged.error())
      << "the row is of the point returned";
  EXPECT_LT(judged.error(), 1);
}

TEST(Solve, InputErrors) {
  const auto [problem, x, y] = planted(1);
  const auto refusal = [&, &stated = problem](const SolveOptions& options) {
    return test::refusal([&] { solve(stated, options); });
  };
  using test::expect_contains;
  expect_contains(refusal({.algorithm = "smothed"}), "'smothed'");
  SolveOptions drawn = given(steps, 100);  // its metric needs all rows at once
  drawn.algorithm = "safeguarded";
  expect_contains(refusal(drawn), "'cholesky' needs all rows at once");
  drawn.given->metric = MetricKind::diagonal;
  EXPECT_NO_THROW(solve(problem, drawn));
  expect_contains(refusal({.batch = -1}), "the batch is -1");
  expect_contains(refusal({.samples = -1}), "the number of samples is -1");
  expect_contains(refusal({.samples = std::nan("")}), "the number of samples is nan");
  expect_contains(refusal({.epochs = 3}), "epochs need a finite sum");
  expect_contains(refusal({.seconds = infinity}), "the time limit is inf");
  expect_contains(refusal({.tolerance = -1}), "tolerance");
  expect_contains(refusal({.source = ParameterSource::given}), "none are");
}

}  // namespace
}  // namespace bridle
