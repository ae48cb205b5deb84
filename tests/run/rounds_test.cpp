// A run without a budget goes on until it is certified, one with a budget does not; each says why it stopped.
// A run that is taken up with a larger budget goes on from where it got to, and one that is shown a good
// start ends there.
#include "bridle/run/rounds.hpp"

#include <algorithm>
#include <cstdio>

#include <gtest/gtest.h>

#include "bridle/certify/certify.hpp"
#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/run/solve.hpp"

#include "tests/run/planted_run.hpp"

namespace bridle {
namespace {

using test::expect_contains;
using test::planted;

// 300 samples with labels that a line explains in part.
Problem classifier() {
  const Matrix data = test::random_matrix(300, 4, 77);
  Vector labels(300);
  for (Index i = 0; i < 300; ++i)
    labels[i] =
        data(i, 0) + 0.5 * data(i, 1) + 0.7 * test::random_vector(1, 900 + static_cast<std::uint64_t>(i))[0] >
                0
            ? 1
            : -1;
  Problem problem(LinearModel(DenseRows<double>(data), labels, LogisticLoss{}, Vector::Constant(4, 1e-3)));
  problem.subject_to(Matrix{{1, 1, 1, 1}}, test::vec(-0.5), test::vec(0.5));
  return problem;
}

TEST(Rounds, ARunWithoutABudgetEndsCertified) {
  const Problem problem = classifier();
  // Without second-order steps, which would do in the first round: the loop alone needs more than 30 epochs.
  const SolveOptions natural{.tolerance = 1e-6, .second_order = false};
  SolveOptions once = natural;
  once.epochs = 30;
  const Result first = solve(problem, once), all = solve(problem, natural);
  ASSERT_EQ(first.status, Status::budget_exhausted) << "the first budget must not do";
  expect_contains(first.advice, "the budget is spent");
  expect_contains(first.advice, "the point meets a tolerance of");
  EXPECT_EQ(all.status, Status::stationary) << all.full_report();
  EXPECT_TRUE(all.advice.empty());
  EXPECT_GT(all.samples, 4 * first.samples);
  EXPECT_LE(certify(problem, all.x, all.y).error(), 1e-6);
}

// Time is a budget as samples are: more of it goes on. The clock moves on by 10 ms whenever it is asked.
TEST(Rounds, MoreSecondsGoOn) {
  const std::string path = testing::TempDir() + "bridle_seconds.checkpoint";
  std::remove(path.c_str());
  const Problem problem = classifier();
  SolveOptions options{.tolerance = 0, .second_order = false, .checkpoint = path};
  const auto run = [&](double seconds) {
    options.seconds = seconds;
    options.clock = [now = std::make_shared<double>(0)] { return *now += 0.01; };
    const Result result = solve(problem, options);
    options.resume = true;
    return result;
  };
  const Result once = run(5), more = run(20);
  EXPECT_GT(once.iterations, 0u);
  EXPECT_GT(more.iterations, 1.5 * static_cast<double>(once.iterations));
  EXPECT_GT(more.solve_seconds + more.certify_seconds, 10);
  EXPECT_LE(certify(problem, more.x, more.y).error(), 1.001 * certify(problem, once.x, once.y).error());
  std::remove(path.c_str());
}

// What the polish of an earlier round spent stays spent.
TEST(Rounds, NothingThatWasSpentIsForgotten) {
  class Rows final : public Observer {
   public:
    void progress(const Progress& row) override { samples.push_back(row.samples); }
    void started(const RunInfo& info) override { rounds = info.round; }
    std::vector<double> samples;
    int rounds = 0;
  };
  const Problem problem = classifier();
  Rows rows;
  const Result all = solve(problem, {.tolerance = 1e-6, .second_order = false}, &rows);
  ASSERT_GE(rows.rounds, 2);
  EXPECT_TRUE(std::is_sorted(rows.samples.begin(), rows.samples.end()));
  EXPECT_EQ(rows.samples.back(), all.samples);
  EXPECT_LE(certify(problem, all.x, all.y).error(), 1e-6);
}

// f = E (x - xi)^2 / 2 with xi of spread 1: 100,000 samples leave an error of some 1e-2 open at the best of
// points.
TEST(Rounds, WhatTheBatchOfTheJudgeLeavesOpen) {
  struct Measured {
    Index dimension() const { return 1; }
    Index sample_count() const { return endless; }
    void gradient(ConstVectorRef x, Sample sample, VectorRef out) const {
      Vector noise(1);
      Stream(sample, Purpose::generator).fill_normal(noise, 0);
      out = x - Vector::Constant(1, 0.3) - noise;
    }
  };
  Problem problem{Measured{}};
  problem.within(Box(test::vec(-1), test::vec(1)));
  const Result result = solve(problem, {});
  EXPECT_EQ(result.status, Status::budget_exhausted);
  EXPECT_LT(result.samples, 1.5e6) << "one round";
  expect_contains(result.advice, "through a batch of samples");
  const Certificate again = certify(problem, result.x, result.y);
  EXPECT_FALSE(again.holds(result.tolerance));
  EXPECT_TRUE(batch_is_the_limit(result.certificate, result.tolerance));
  EXPECT_FALSE(batch_is_the_limit(result.certificate, 0.1));
}

TEST(Rounds, OnlyAutomaticParametersGoOn) {
  const Result result = solve(classifier(), {.tolerance = 0, .algorithm = "stochastic-sqp"});
  expect_contains(result.advice, "a budget of your own goes further");
  EXPECT_GT(certify(classifier(), result.x, result.y).error(), 0);
}

TEST(Rounds, ABudgetIsALimit) {
  const Result result = solve(classifier(), {.samples = 3000, .tolerance = 0, .second_order = false});
  EXPECT_EQ(result.status, Status::budget_exhausted);
  EXPECT_LE(result.samples, 1.2 * 3000) << "and the polish a tenth of it";
}

TEST(Rounds, TheyEndWhereMoreDoesNotHelp) {
  const auto [problem, x, y] = planted(0);
  const Result result = solve(problem, {.samples = 200, .tolerance = 0, .grow = true});
  EXPECT_EQ(result.status, Status::budget_exhausted);
  expect_contains(result.advice, "twice not lowered the error");
  EXPECT_LT(certify(problem, result.x, result.y).error(), 1e-9);
}

TEST(Rounds, TheCeilingKnowsTheSizeOfTheProblem) {
  const auto [small, x, y] = planted(0);
  EXPECT_LE(most_samples(small, 1e3), 4096e3);
  EXPECT_GE(most_samples(small, 1e12), 1e12) << "never less than the first budget";
  const Problem large{Quadratic(SparseRows(100'000, 100'000), Vector::Ones(100'000))};
  EXPECT_LT(most_samples(large, 1e5), 1.1e6);
}

// The same bits with and without a checkpoint, and when it was broken off in any round.
TEST(Rounds, AreResumed) {
  const std::string path = testing::TempDir() + "bridle_rounds.checkpoint";
  std::remove(path.c_str());
  const auto [problem, x, y] = planted(1);
  SolveOptions options{.samples = 500, .tolerance = 5e-3, .grow = true, .finish = false};
  const Result alone = solve(problem, options);
  ASSERT_EQ(alone.status, Status::stationary) << alone.full_report();
  ASSERT_GT(alone.samples, 2000) << "more than one round";
  options.checkpoint = path;
  options.checkpoint_seconds = 1e9;
  options.resume = true;
  class Interrupting : public Observer {
   public:
    explicit Interrupting(int after) : left_(after) {}
    bool interrupted() override { return left_-- <= 0; }

   private:
    int left_;
  };
  int interruptions = 0;
  for (const int after : {20, 400, 700, 1000, 2000, 1'000'000}) {
    Interrupting observer(after);
    const Result result = solve(problem, options, &observer);
    if (result.status == Status::interrupted && ++interruptions < 100) continue;
    EXPECT_EQ(result.x, alone.x);
    EXPECT_EQ(result.y, alone.y);
    EXPECT_EQ(result.samples, alone.samples);
  }
  EXPECT_GT(interruptions, 1);
  std::remove(path.c_str());
}

TEST(Going, OnWithALargerBudget) {
  const std::string path = testing::TempDir() + "bridle_going_on.checkpoint";
  std::remove(path.c_str());
  const auto [problem, x, y] = planted(1);
  SolveOptions options{.samples = 2000,
                       .tolerance = 0,
                       .finish = false,
                       .second_order = false,
                       .checkpoint = path,
                       .checkpoint_seconds = 1e9};
  const Result first = solve(problem, options);
  options.resume = true;
  EXPECT_EQ(solve(problem, options).x, first.x) << "nothing is left of the same budget";
  options.samples = 40'000;
  const Result more = solve(problem, options);
  EXPECT_GT(more.samples, 36'000) << "what was spent before counts";
  EXPECT_LE(more.samples, 1.15 * 40'000);
  EXPECT_LT(more.certificate.error(), first.certificate.error());
  options.tolerance = 0.5;  // a larger tolerance is met by what is there
  EXPECT_EQ(solve(problem, options).status, Status::stationary);
  EXPECT_LE(certify(problem, more.x, more.y).error(), 0.05);
  options.samples = 50'000;
  options.output = Output::last;
  expect_contains(test::refusal([&] { solve(problem, options); }), "another problem or other options");
  std::remove(path.c_str());
}

TEST(Start, ThatIsGoodEnoughEndsTheRun) {
  auto [problem, x, y] = planted(1);
  const Result first = solve(problem, {.samples = 20'000, .tolerance = 1e-2});
  ASSERT_TRUE(first.certified()) << first.full_report();
  problem.start_from(first.x);
  const Result again = solve(problem, {.tolerance = 1e-2, .start_multipliers = first.y, .judge_start = true});
  EXPECT_TRUE(again.certified());
  EXPECT_EQ(again.iterations, 0u);
  EXPECT_EQ(again.found_by, FoundBy::start);
  EXPECT_LE(certify(problem, again.x, again.y).error(), 1e-2);
}

}  // namespace
}  // namespace bridle
