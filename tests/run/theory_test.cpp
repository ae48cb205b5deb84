// The paper to the letter: what a run with the theory's parameters does, returns, and refuses.
#include <algorithm>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "bridle/certify/certify.hpp"
#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/run/solve.hpp"
#include "bridle/run/theory_constants.hpp"

#include "tests/run/planted_run.hpp"

namespace bridle {
namespace {

using test::expect_contains;
using test::n;
using test::random_vector;

// X = R^n, three equalities: every constant can be computed.
test::Planted whole_space(double noise, double proportional = 0) {
  return test::plant(WholeSpace(n), Vector::LinSpaced(n, -0.5, 1), {3, 0, 0}, 41,
                     {.additive = noise, .multiplicative = proportional});
}

Reason reason_of(const Result& result, const std::string& symbol) {
  for (const auto& reason : result.reasons)
    if (reason.symbol == symbol) return reason;
  ADD_FAILURE() << "no reason for " << symbol;
  return {};
}

// The loop itself, from the registry, on the user's own rows: T iterations with the theorem's parameters.
Iterate by_hand(const Problem& problem, const Result& result, std::uint64_t iterations, std::uint64_t seed) {
  Scaling literal;
  literal.metric = MetricKind::identity;
  const StandardForm form(problem, literal);
  Iterate start;
  start.x = start.z =
      form.to_standard(problem.starting_point(), problem.rows().matrix * problem.starting_point());
  start.y = Vector::Zero(form.rows());
  const Stage stage{result.parameters, {}, result.iterations};
  const auto method =
      find_algorithm(result.algorithm)
          ->plain()
          .create(
              form, stage, start,
              {.sampling = Sampling::independent, .seed = seed, .dual_bound = 1e6, .literal_draws = true});
  method->run(stage, 0, iterations);
  return method->snapshot();
}

TEST(Theory, ReturnsThePapersOutput) {
  const auto [problem, x, y] = whole_space(0.1);
  for (const char* algorithm : {"smoothed", "safeguarded", "storm", "safeguarded-storm"})
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const Result result = solve(
          problem, to_the_letter({.samples = 4000, .seed = seed, .algorithm = algorithm, .dual_bound = 1e6}));
      ASSERT_TRUE(result.theory_output) << algorithm;
      const TheoryOutput& output = *result.theory_output;
      const std::uint64_t drawn = 1 + Stream(seed, Purpose::output_time).below(result.iterations, 0);
      EXPECT_EQ(output.time, drawn) << "uniform on 1, ..., T";
      EXPECT_EQ(output.iterations, result.iterations) << "the run goes to its end";
      EXPECT_EQ(reason_of(result, "T").value, static_cast<double>(result.iterations));
      const Iterate there = by_hand(problem, result, output.time, seed);
      EXPECT_LE((output.x - there.x).norm(), 1e-12) << algorithm;
      EXPECT_LE((output.y - there.y).norm(), 1e-12) << algorithm;
      EXPECT_LE((output.z - there.z).norm(), 1e-12) << algorithm;
      const bool estimates = find_algorithm(algorithm)->carries_estimate;
      EXPECT_EQ(result.found_by, estimates ? FoundBy::loop_x : FoundBy::smoothed_output);
      EXPECT_EQ(result.x, estimates ? output.x : output.z);
      for (const Phase phase : {Phase::second_order, Phase::polish}) {
        EXPECT_EQ(result.phases[phase].full_gradients, 0);
        EXPECT_EQ(result.phases[phase].projections, 0);
      }
      EXPECT_NEAR(certify(problem, output.x, output.y, {.improve_multipliers = true}).error(), output.x_error,
                  1e-9);
      EXPECT_NEAR(certify(problem, result.x, result.y).error(), result.certificate.error(), 1e-9);
    }
}

// Of Algorithms 1 and 2 the post-processed point is there too, from B = sqrt T samples.
TEST(Theory, PostProcessesBesideTheOutput) {
  const auto [problem, x, y] = whole_space(0.1);
  const Result result = solve(problem, to_the_letter({.samples = 4000}));
  const TheoryOutput& output = *result.theory_output;
  EXPECT_EQ(output.batch, 64) << "the root of 4000, rounded up";
  EXPECT_NEAR(
      certify(problem, output.post_processed, output.post_multipliers, {.improve_multipliers = true}).error(),
      output.post_processed_error, 1e-9);
  EXPECT_EQ(result.samples, 4000 + 64);
  EXPECT_EQ(solve(problem, to_the_letter({.samples = 4000, .algorithm = "storm"})).theory_output->batch, 0)
      << "Algorithm 3 needs none";
  const Result asked = solve(problem, to_the_letter({.samples = 4000, .post_process = 100}));
  EXPECT_EQ(asked.found_by, FoundBy::post_processing);
  EXPECT_EQ(asked.x, asked.theory_output->post_processed);
}

// Writes down which samples of a finite sum it is asked for.
struct Recorded {
  std::shared_ptr<std::vector<Sample>> asked = std::make_shared<std::vector<Sample>>();
  Index dimension() const { return 2; }
  Index sample_count() const { return 50; }
  void gradient(ConstVectorRef x, Sample sample, VectorRef out) const {
    asked->push_back(sample);
    out = x.array() - std::sin(static_cast<double>(sample));
  }
  void mean_gradient(ConstVectorRef x, VectorRef out) const {
    double mean = 0;
    for (int k = 0; k < 50; ++k) mean += std::sin(k) / 50;
    out = x.array() - mean;
  }
  std::optional<double> smoothness() const { return 1; }
};

TEST(Theory, DrawsIndependently) {
  const Recorded objective;
  solve(Problem(objective), to_the_letter({.samples = 200, .seed = 3}));
  // In this order, with others between them: the post-processing's batch, and looks at the gradient.
  const auto in_order = [&](Sampling how) {
    Sampler sampler(50, how, 3);
    std::uint64_t found = 0;
    for (const Sample sample : *objective.asked) found += found < 200 && sample == sampler(found);
    return found;
  };
  EXPECT_EQ(in_order(Sampling::independent), 200U);
  EXPECT_LT(in_order(Sampling::reshuffled), 100U);
}

TEST(Theory, ComputesItsConstants) {
  const auto [problem, x, y] = whole_space(0.1, 0.3);
  const Result result = solve(problem, to_the_letter({.samples = 1000, .algorithm = "storm"}));
  const double L = *problem.objective().smoothness();
  EXPECT_EQ(reason_of(result, "L_f").value, L);
  EXPECT_DOUBLE_EQ(reason_of(result, "L_0").value, std::hypot(L, 0.3));
  const Vector singular = Eigen::JacobiSVD<Matrix>(Matrix(problem.rows().matrix)).singularValues();
  EXPECT_NEAR(reason_of(result, "|A|").value, singular.maxCoeff(), 1e-9);
  const double mu = std::max(2.0, 4 * L);
  EXPECT_NEAR(reason_of(result, "sbar").value, (L + mu) / ((mu - L) * singular.minCoeff()), 1e-9);
  for (const char* symbol : {"L_f", "L_0", "|A|", "sbar", "T", "N"})
    EXPECT_TRUE(reason_of(result, symbol).why.starts_with("computed")) << symbol;
  expect_contains(reason_of(result, "rho").why, "free in the theory");
  EXPECT_TRUE(std::none_of(result.reasons.begin(), result.reasons.end(),
                           [](const Reason& r) { return r.why.starts_with("estimated"); }));
}

// E|grad f(x, xi) - grad f(x', xi)|^2 <= L_0^2 |x - x'|^2, on random pairs, and a good part of it is used.
TEST(Theory, MeanSmoothnessOfALinearModelHolds) {
  const Index people = 200;
  const Matrix data = test::random_matrix(people, 4, 8);
  const LinearModel model(DenseRows<double>(data), random_vector(people, 9), SquaredLoss{},
                          Vector::Constant(4, 0.5));
  const Problem problem{model};
  const double L0 = theory_constants(problem, {}, *find_algorithm("storm")).constants.mean_smoothness;
  double largest = 0;
  for (std::uint64_t k = 0; k < 50; ++k) {
    const Vector a = random_vector(4, 100 + 2 * k), b = random_vector(4, 101 + 2 * k);
    Vector at_a(4), at_b(4);
    double mean = 0;
    for (Index i = 0; i < people; ++i) {
      model.gradient(a, static_cast<Sample>(i), at_a);
      model.gradient(b, static_cast<Sample>(i), at_b);
      mean += (at_a - at_b).squaredNorm() / people;
    }
    largest = std::max(largest, std::sqrt(mean) / (a - b).norm());
  }
  EXPECT_LE(largest, L0);
  EXPECT_GE(largest, 0.3 * L0);
}

struct Unknown {
  Index dimension() const { return n; }
  Index sample_count() const { return endless; }
  void gradient(ConstVectorRef x, Sample sample, VectorRef out) const {
    Stream(sample, Purpose::noise).fill_normal(out, 0);
    out += x;
  }
};

// Nothing is made up: what is not computed must be given, and the line says how.
TEST(Theory, RefusesWhatItCannotCompute) {
  const auto refusal = [](const Problem& problem, const SolveOptions& options) {
    return test::refusal([&] { solve(problem, to_the_letter(options)); });
  };
  const Problem unknown{Unknown{}};
  expect_contains(refusal(unknown, {.samples = 100}), "L_f");
  expect_contains(refusal(unknown, {.samples = 100}), "--curvature L");
  SolveOptions told{.samples = 100, .curvature = 1};
  EXPECT_NO_THROW(solve(unknown, to_the_letter(told)));
  told.algorithm = "storm";
  expect_contains(refusal(unknown, told), "--constants L_0=L");
  told.known.mean_smoothness = 1;
  EXPECT_NO_THROW(solve(unknown, to_the_letter(told)));

  const auto [box, x, y] = test::planted(0.1);
  expect_contains(refusal(box, {.samples = 100}), "Hoffman constant");
  expect_contains(refusal(box, {.samples = 100}), "--constants sbar=S");
  SolveOptions with{.samples = 100};
  with.known.error_bound = 2;
  const Result result = solve(box, to_the_letter(with));
  EXPECT_EQ(reason_of(result, "sbar").why, "given");
  EXPECT_EQ(reason_of(result, "sbar").value, 2);
  with.algorithm = "safeguarded";
  expect_contains(refusal(box, with), "--dual-bound M");

  Problem many{Quadratic(SparseColumns(2002, 2002), Vector::Ones(2002))};
  SparseRows rows(2001, 2002);
  for (Index i = 0; i < 2001; ++i) rows.insert(i, i) = 1, rows.insert(i, i + 1) = -1;
  many.subject_to(rows, Vector::Zero(2001), Vector::Zero(2001));
  expect_contains(refusal(many, {.samples = 100}), "2001 rows");
  SolveOptions bounded{.samples = 10};
  bounded.known.error_bound = 1;
  const Reason norm = reason_of(solve(many, to_the_letter(bounded)), "|A|");
  EXPECT_GE(norm.value, 1.99) << "2 cos(pi/4004) is the norm";
  EXPECT_LE(norm.value, 2 + 1e-12) << "|A|_1 |A|_inf = 4";
  expect_contains(norm.why, "bound");
}

}  // namespace
}  // namespace bridle
