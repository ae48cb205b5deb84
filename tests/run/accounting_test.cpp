// Who found the point, and what each phase spent: the table adds up to what the run says of itself, and
// without a finish the point is the loop's best.
#include <cstdio>

#include <gtest/gtest.h>

#include "bridle/algorithms/registry.hpp"
#include "bridle/certify/certify.hpp"
#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/run/solve.hpp"

#include "tests/run/planted_run.hpp"

namespace bridle {
namespace {

using test::given;
using test::planted;
using test::random_vector;
using test::steps;

constexpr Index variables = 6, people = 400;

Problem classifier(Loss loss = LogisticLoss{}) {
  const Matrix data = test::random_matrix(people, variables, 4);
  const Vector truth = random_vector(variables, 5), noise = random_vector(people, 6);
  Vector labels(people);
  for (Index i = 0; i < people; ++i) labels[i] = data.row(i).dot(truth) + noise[i] > 0 ? 1 : -1;
  Problem problem(LinearModel(DenseRows<double>(data), labels, loss, Vector::Constant(variables, 1e-2)));
  problem.subject_to(test::random_matrix(2, variables, 3), Vector::Constant(2, -0.1),
                     Vector::Constant(2, 0.1));
  return problem;
}

double gradients_of(const PhaseSpending& row, Index count) {
  return row.sample_gradients + row.full_gradients * static_cast<double>(count);
}

void expect_seconds_add_up(const Result& result) {
  double sum = 0;
  for (const Phase phase : all_phases) {
    EXPECT_GE(result.phases[phase].seconds, 0) << to_string(phase);
    sum += result.phases[phase].seconds;
  }
  EXPECT_NEAR(sum, result.solve_seconds + result.certify_seconds, 1e-9 * (1 + sum));
  EXPECT_EQ(result.certify_seconds, result.phases[Phase::judge].seconds);
}

TEST(Phases, AddUpOnAFiniteSum) {
  const Problem problem = classifier();
  const Result result = solve(problem, {.epochs = 30, .tolerance = 0, .second_order = false});
  const PhaseTable& spent = result.phases;
  EXPECT_EQ(spent[Phase::loop].sample_gradients, static_cast<double>(result.iterations));
  EXPECT_EQ(spent[Phase::loop].projections, static_cast<double>(result.iterations));
  EXPECT_GE(spent[Phase::polish].full_gradients, 2) << "from x and from z";
  EXPECT_GE(spent[Phase::polish].projections, 4);
  double of_the_method = 0;
  for (const Phase phase : {Phase::start, Phase::loop, Phase::second_order, Phase::polish})
    of_the_method += gradients_of(spent[phase], people);
  EXPECT_EQ(of_the_method, result.samples);
  EXPECT_EQ(gradients_of(spent[Phase::judge], people), result.certificate_samples);
  EXPECT_EQ(spent[Phase::second_order].full_gradients, 0);
  expect_seconds_add_up(result);
  EXPECT_LT(certify(problem, result.x, result.y).error(), 1e-2);
}

TEST(Phases, TellWhatSecondOrderStepsTook) {
  const Problem problem = classifier();
  const Result result = solve(problem);
  EXPECT_EQ(result.found_by, FoundBy::second_order);
  const PhaseSpending& row = result.phases[Phase::second_order];
  EXPECT_GT(row.hessians, 0);
  EXPECT_EQ(row.full_gradients, result.second_order.full_gradients);
  EXPECT_EQ(row.hessians, result.second_order.hessians);
  EXPECT_EQ(row.hessian_products, result.second_order.hessian_products);
  EXPECT_EQ(row.projections, result.second_order.projections);
  EXPECT_EQ(result.phases[Phase::polish].full_gradients, 0) << "there was nothing left to polish";
  expect_seconds_add_up(result);
  test::expect_contains(result.full_report(), "found by the second-order steps");
  test::expect_contains(result.full_report(), "sample grad.");
  EXPECT_LE(certify(problem, result.x, result.y).error(), 1e-6);
}

// Curvature is probed at every stage; STORM's first batch is the loop's own.
TEST(Phases, TellProbesFromSteps) {
  const auto [problem, x, y] = planted(1);
  for (const char* algorithm : {"smoothed", "storm"}) {
    const Result result =
        solve(problem, {.samples = 5000, .tolerance = 0, .algorithm = algorithm, .finish = false});
    EXPECT_GT(result.phases[Phase::start].sample_gradients, 0) << algorithm;
    const double loop = result.phases[Phase::loop].sample_gradients;
    EXPECT_EQ(loop + result.phases[Phase::start].sample_gradients, result.samples) << algorithm;
    const double beyond =
        loop - find_algorithm(algorithm)->gradients_per_iteration * static_cast<double>(result.iterations);
    EXPECT_EQ(beyond > 0, find_algorithm(algorithm)->large_first_batch) << algorithm;
    EXPECT_LT(certify(problem, result.x, result.y).error(), 1);
  }
}

// A stream that tells single samples only: batches stand for full gradients, and are counted as what they
// are.
struct OnlySamples {
  Index dimension() const { return 3; }
  Index sample_count() const { return endless; }
  void gradient(ConstVectorRef x, Sample sample, VectorRef out) const {
    Stream(sample, Purpose::noise).fill_normal(out, 0);
    out = 0.1 * out + x - Vector::Ones(3);
  }
};

TEST(Phases, CountBatchesAsSamples) {
  const Problem problem{OnlySamples{}};
  const Result result = solve(problem, {.samples = 50'000, .tolerance = 0});
  double sum = 0;
  for (const Phase phase : all_phases) {
    EXPECT_EQ(result.phases[phase].full_gradients, 0) << to_string(phase);
    if (phase != Phase::judge) sum += result.phases[phase].sample_gradients;
  }
  EXPECT_GT(result.phases[Phase::polish].sample_gradients, 0);
  EXPECT_EQ(sum, result.samples);
  EXPECT_EQ(result.phases[Phase::judge].sample_gradients, result.certificate_samples);
  EXPECT_LT(certify(problem, result.x, result.y).error(), 0.1);
}

TEST(Phases, CountFullGradientsOfALoopThatTakesThem) {
  const Problem problem = classifier();
  const Result result =
      solve(problem, {.epochs = 20, .tolerance = 0, .algorithm = "zhang-luo", .finish = false});
  EXPECT_EQ(result.phases[Phase::loop].full_gradients, static_cast<double>(result.iterations));
  EXPECT_EQ(result.phases[Phase::loop].sample_gradients, 0);
  EXPECT_LT(certify(problem, result.x, result.y).error(), infinity);
}

TEST(Phases, ALogisticStartIsAStart) {
  const Problem problem = classifier(SmoothedZeroOneLoss{});
  const Result result =
      solve(problem, {.epochs = 20, .tolerance = 0, .finish = false, .second_order = false});
  EXPECT_GE(result.phases[Phase::start].sample_gradients, 2.0 * people - 1) << "a tenth of the budget";
  EXPECT_EQ(result.phases[Phase::start].sample_gradients + result.phases[Phase::loop].sample_gradients,
            result.samples);
  expect_seconds_add_up(result);
  EXPECT_LT(certify(problem, result.x, result.y).error(), infinity);
}

// Counts go through a checkpoint: those of a run that was broken off are those of one that was not.
TEST(Phases, AreResumed) {
  const std::string path = testing::TempDir() + "bridle_phases.checkpoint";
  std::remove(path.c_str());
  const auto [problem, x, y] = planted(1);
  SolveOptions options{.samples = 6000, .tolerance = 0};
  const Result alone = solve(problem, options);
  options.checkpoint = path;
  options.resume = true;
  class Interrupting : public Observer {
   public:
    bool interrupted() override { return ++asked_ > 30; }

   private:
    int asked_ = 0;
  } impatient;
  EXPECT_EQ(solve(problem, options, &impatient).status, Status::interrupted);
  const Result resumed = solve(problem, options);
  EXPECT_EQ(resumed.x, alone.x);
  EXPECT_EQ(resumed.found_by, alone.found_by);
  for (const Phase phase : all_phases) {
    EXPECT_EQ(resumed.phases[phase].sample_gradients, alone.phases[phase].sample_gradients)
        << to_string(phase);
    EXPECT_EQ(resumed.phases[phase].full_gradients, alone.phases[phase].full_gradients) << to_string(phase);
    EXPECT_EQ(resumed.phases[phase].projections, alone.phases[phase].projections) << to_string(phase);
  }
  std::remove(path.c_str());
}

// The judge sees the last x and the last z, and the one he likes better is returned: never worse than the
// last x.
TEST(LoopsBest, IsOfTheLastXAndZ) {
  const auto [problem, x, y] = planted(1);
  int of_x = 0, of_z = 0;
  for (const double tau : {0.01, 0.001})
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      Parameters p = steps;
      p.tau = tau;
      SolveOptions best = given(p, 3000, Output::best), last = given(p, 3000, Output::last);
      best.finish = false;
      best.seed = last.seed = seed;
      const Result kept = solve(problem, best), end = solve(problem, last);
      EXPECT_LE(kept.certificate.error(), end.certificate.error());
      EXPECT_EQ(kept.phases[Phase::polish].projections, 0);
      EXPECT_TRUE(kept.found_by == FoundBy::loop_x || kept.found_by == FoundBy::loop_z)
          << to_string(kept.found_by);
      of_x += kept.found_by == FoundBy::loop_x;
      of_z += kept.found_by == FoundBy::loop_z;
      EXPECT_EQ(end.found_by, FoundBy::loop_x);
      EXPECT_NEAR(certify(problem, kept.x, kept.y).error(), kept.certificate.error(), 1e-9);
    }
  EXPECT_GT(of_z, 0) << "z is smoother than x where there is noise";
  EXPECT_GT(of_x, 0) << "and slower where steps are small";
}

// With a finish they are candidates too: what they would have earned alone is never lost.
TEST(LoopsBest, IsACandidateBesideTheFinish) {
  const auto [problem, x, y] = planted(1);
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SolveOptions options{.samples = 3000, .tolerance = 0, .seed = seed};
    const Result with = solve(problem, options);
    options.finish = false;
    const Result without = solve(problem, options);
    EXPECT_LE(with.certificate.error(), without.certificate.error());
    EXPECT_EQ(phase_of(without.found_by), Phase::loop);
    EXPECT_NEAR(certify(problem, with.x, with.y).error(), with.certificate.error(), 1e-9);
  }
}

TEST(FoundBy, HasANameForEachPoint) {
  for (int k = 0; k <= static_cast<int>(last_value(FoundBy{})); ++k) {
    const auto one = static_cast<FoundBy>(k);
    EXPECT_FALSE(to_string(one).empty());
    test::expect_contains(found_by_text(one), "found by the");
  }
}

}  // namespace
}  // namespace bridle
